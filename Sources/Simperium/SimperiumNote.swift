/// Something that was tolerated while a command was read.
///
/// Source of the tolerances: what real clients and servers send.
public struct SimperiumNote: Hashable, Sendable {
    /// What was tolerated, and where in the message.
    public var code: Code
    /// Name of the field or slot it is about, if there are several; never text of a peer.
    public var field: String?
    /// Offset in bytes of its first occurrence in the message.
    public var offset: Int

    /// A note with these values.
    public init(_ code: Code, field: String? = nil, offset: Int) {
        self.code = code
        self.field = field
        self.offset = offset
    }

    /// The note as text.
    public var detail: String {
        guard let field else { return code.detail }
        return "\(code.detail): \(field)"
    }

    /// Stable names of what is tolerated.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A command of a channel came without its number, as in the specification's own example.
        case noChannel = "simperium.no-channel"
        /// The number of the channel has leading zeros.
        case channelZeros = "simperium.channel-zeros"
        /// A number outside of JSON has leading zeros.
        case leadingZeros = "simperium.leading-zeros"
        /// A heartbeat came with a channel.
        case heartbeatOnChannel = "simperium.heartbeat-on-channel"
        /// A `log` came with a channel.
        case logOnChannel = "simperium.log-on-channel"
        /// A `?` came alone, without a channel.
        case bareQuestionMark = "simperium.bare-question-mark"
        /// The server did not recognise a command; `?` is in no specification.
        case questionMark = "simperium.question-mark"
        /// The name of the command is in no specification.
        case unknownCommand = "simperium.unknown-command"
        /// The other side is the one that sends this.
        case wrongDirection = "simperium.wrong-direction"
        /// There is a payload where none belongs.
        case unexpectedPayload = "simperium.unexpected-payload"
        /// The payload and its colon are missing.
        case missingPayload = "simperium.missing-payload"
        /// There is a SockJS frame where a command is expected.
        case sockJSFrame = "simperium.sockjs-frame"

        /// A key occurs twice in an object; the last was used.
        case duplicateKey = "simperium.duplicate-key"
        /// A string has half a surrogate pair; it was read as U+FFFD.
        case loneSurrogate = "simperium.lone-surrogate"
        /// A field that should be a string is a number.
        case numberAsText = "simperium.number-as-text"
        /// A field that should be a string is something else.
        case notText = "simperium.not-text"
        /// A field that should be `true` or `false` is something else; it was left out.
        case notBoolean = "simperium.not-boolean"
        /// A field that should be a whole number is something else; it was left out.
        case notNumber = "simperium.not-a-number"
        /// A field that should be an array is something else.
        case notAnArray = "simperium.not-an-array"
        /// A field that should be an object is something else.
        case notAnObject = "simperium.not-an-object"
        /// An unknown field; it was left out.
        case unknownField = "simperium.unknown-field"
        /// The name of the bucket is not 1 to 64 letters, digits and `._-%`.
        case bucketName = "simperium.bucket-name"
        /// The identifier of the application is not letters, digits and `._-`.
        case appName = "simperium.app-id"
        /// The key of an object is not 1 to 256 letters, digits and `._-%@`.
        case keyCharacters = "simperium.key-characters"
        /// The identifier of a change is not 1 to 256 hexadecimal digits and dashes.
        case ccidCharacters = "simperium.ccid-characters"
        /// The identifier of the client is not 1 to 256 characters.
        case clientIDLength = "simperium.client-id-length"

        /// `client_id` is used where every client sends `clientid`.
        case clientIDSpelling = "simperium.client-id-spelling"
        /// A field of `init` is missing.
        case initMissing = "simperium.init-missing"
        /// Without `library` and `version` a server may answer an unknown cv with `c:?`.
        case initWithoutLibrary = "simperium.init-without-library"
        /// The version of the protocol is another than `1.1`.
        case initAPI = "simperium.init-api"
        /// The `cmd` of an `init` is neither `i:` nor `cv:`.
        case initCommand = "simperium.init-command"

        /// The authorization failed in the way of API versions before 1.1.
        case authExpired = "simperium.auth-expired"
        /// The user name is JSON, which some clients take for a failure.
        case authLooksLikeJSON = "simperium.auth-looks-like-json"
        /// The user name is empty.
        case authEmpty = "simperium.auth-empty"
        /// A refusal has no code.
        case authWithoutCode = "simperium.auth-without-code"
        /// The server states options; `o` is in no specification.
        case options = "simperium.options"

        /// The request has other than four slots.
        case indexSlots = "simperium.index-slots"
        /// The slot for data holds something other than `1`.
        case indexDataSlot = "simperium.index-data-slot"
        /// The mark is all digits and could be an offset.
        case indexOffsetOrMark = "simperium.index-offset-or-mark"
        /// The mark is in the third slot, as the prose of the specification has it.
        case indexMarkInThirdSlot = "simperium.index-mark-in-third-slot"
        /// The limit is missing or no number.
        case indexLimit = "simperium.index-limit"
        /// The limit is 0 or more than 1000.
        case indexLimitRange = "simperium.index-limit-range"
        /// The mark is unknown to the server.
        case indexUnknownMark = "simperium.index-unknown-mark"
        /// A page has no `current`.
        case noCurrent = "simperium.no-current"
        /// The `current` of a page is empty.
        case emptyCurrent = "simperium.empty-current"
        /// A page has no `index`.
        case noIndex = "simperium.no-index"
        /// The mark of a page is empty, so that the next page would be the first.
        case emptyMark = "simperium.empty-mark"
        /// An entry has no key or no version.
        case indexEntry = "simperium.index-entry"

        /// The key has dots; the version is what follows the last.
        case dottedKey = "simperium.dotted-key"
        /// The answer to `e` has no `data`.
        case entityWithoutData = "simperium.entity-without-data"

        /// The client has no change version.
        case cvEmpty = "simperium.cv-empty"
        /// The change version is `0`, `null` or another word for none.
        case cvPlaceholder = "simperium.cv-placeholder"
        /// The server answers an unknown change version with something other than `?`.
        case cvReply = "simperium.cv-reply"
        /// An unknown change version was answered with `c:?`, as before API version 1.1.
        case unknownCVAsChange = "simperium.unknown-cv-as-change"

        /// A client sent an array of changes.
        case changeArrayFromClient = "simperium.change-array-from-client"
        /// A server sent a single change outside of an array.
        case changeObjectFromServer = "simperium.change-object-from-server"
        /// An element of the array is not an object.
        case changeNotAnObject = "simperium.change-not-an-object"
        /// A field of a change is missing.
        case changeMissing = "simperium.change-missing"
        /// The operation of a change is in no specification.
        case changeOperation = "simperium.change-operation"
        /// `EMPTY` removes every object of the bucket; the specification of the stream lacks it.
        case changeEmptiesBucket = "simperium.change-empties-bucket"
        /// A change without `sv`, as of a new object, does more than add fields.
        case changeWithoutSource = "simperium.change-without-sv"
        /// The map of operations is empty, so that nothing changes.
        case changeNothing = "simperium.change-nothing"
        /// A removal has `v` or `d`.
        case removeWithValue = "simperium.remove-with-value"
        /// `d` is what a client keeps the object in, `{version, data}`, and not the object.
        case dataWrapped = "simperium.data-wrapped"
        /// An operation on a field is in no specification.
        case operationUnknown = "simperium.operation-unknown"
        /// An operation on a field has no `o`, or no `v` of the right kind.
        case operationMalformed = "simperium.operation-malformed"
        /// A delta cannot be read: a step other than `=n`, `-n` and `+text`, a bad escape, not UTF-8.
        case deltaMalformed = "simperium.delta-malformed"
        /// A delta has empty steps, unescaped characters or escapes in lower case, as no library writes them.
        case deltaUnusual = "simperium.delta-unusual"
        /// A client sent `ccids`.
        case ccidsFromClient = "simperium.ccids-from-client"
        /// A client sent a field of a change that only servers send.
        case serverField = "simperium.server-field"
        /// A server sent `ccid`.
        case ccidFromServer = "simperium.ccid-from-server"
        /// A client names itself in a change.
        case clientIDInChange = "simperium.client-id-in-change"
        /// A version is a string.
        case versionAsString = "simperium.version-as-string"
        /// A version is not a whole number.
        case versionUnreadable = "simperium.version-unreadable"
        /// A version of an object is below 1.
        case versionRange = "simperium.version-range"
        /// `ev` is not above `sv`.
        case versionsDescend = "simperium.versions-descend"
        /// An error code is a string.
        case errorAsString = "simperium.error-as-string"
        /// An error code is not a whole number.
        case errorUnreadable = "simperium.error-unreadable"
        /// An error code is in no specification.
        case errorUnknown = "simperium.error-unknown"

        /// `pendings` is used where the specification has `pending`.
        case pendingsSpelling = "simperium.pendings-spelling"
        /// A pending change lacks a field.
        case pendingIncomplete = "simperium.pending-incomplete"
        /// An index entry of a client is `{key: version}`.
        case indexEntryAsMember = "simperium.index-entry-as-member"
        /// The level of logging is none of 0, 1 and 2.
        case logLevel = "simperium.log-level"
        /// A log message has no `log`.
        case logWithoutText = "simperium.log-without-text"
    }
}
