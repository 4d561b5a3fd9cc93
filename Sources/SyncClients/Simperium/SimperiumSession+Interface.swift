public import Notation
public import Simperium
public import Wire

extension SimperiumSession {
    /// The settings of a session.
    public struct Settings: Sendable {
        /// Identifier of the application.
        public var app: String
        /// Names of the buckets, each once.
        public var buckets: [String]
        /// The user's access token.
        public var token: String?
        /// How often the server called this token invalid, without taking it since.
        public var tokenRefusals = 0
        /// Whether tokens can be got from the auth API.
        public var canAuthorize = false
        /// Identifier of this installation, the same for as long as its state is in use.
        public var clientID: String
        /// The maximum number of entries of a page of the index, in 1...1000.
        public var pageSize = 100
        /// Whether the pages of the index hold the data; if not, each object is requested.
        public var pagesHoldData = true
        /// Nanoseconds without an answer after which another socket is opened.
        public var patience: Int64 = 60_000_000_000
        /// Nanoseconds of silence after which a heartbeat is sent.
        public var idle: Int64 = 20_000_000_000
        /// Pauses between sockets.
        public var pauses = ReconnectSchedule()

        /// Settings with these values and the usual limits.
        public init(app: String, buckets: [String], token: String?, clientID: String) {
            self.app = app
            self.buckets = buckets
            self.token = token
            self.clientID = clientID
        }
    }

    /// An event of a session.
    public enum Event: Hashable, Sendable {
        /// A socket is to be open from now on.
        case online
        /// No socket is to be open any more.
        case offline
        /// The socket breaks, as on an unreliable network.
        case cut
        /// The token that was requested.
        case authorized(String)
        /// There is none; why.
        case unauthorized(SimperiumAuthorization.Failure)
        /// The socket that was requested is open.
        case opened
        /// It could not be opened, or was closed; with the reason as text.
        case closed(String)
        /// A text message came.
        case received([UInt8])
        /// The user stores an object.
        case edited(bucket: String, key: String, data: JSONValue)
        /// The user removes an object.
        case removed(bucket: String, key: String)
        /// A timer fired; due when a timer was requested.
        case timePassed
    }

    /// What is to be done.
    public enum Command: Hashable, Sendable {
        /// Get a token from the auth API.
        case authorize
        /// Open a socket.
        case connect
        /// Close the socket; its events are not to be reported any more.
        case disconnect
        /// To be sent as one text message.
        case send([UInt8])
        /// To be stored before what follows is sent.
        case save(bucket: String, ClientBucket.Saving)
        /// To be stored: the state belongs to this user.
        case own(String)
        /// To be stored: how often the server called the token invalid, without taking it since.
        case tokenRefusals(Int)
        /// ``Event/timePassed`` is due at this time; nil where no timer is needed.
        case setTimer(Instant?)
        /// For who uses the session.
        case tell(Notice)
    }

    /// How often a token is sent to a server that calls it invalid: it may have been mistaken once.
    static let tokenAttempts = 2

    /// Why no socket is opened any more.
    public struct Refusal: Hashable, Sendable {
        /// What happened and what to do.
        public var reason: String
        /// Whether the same would be refused again; if not, another token is enough.
        public var isForGood = true

        /// How work that needs the server ends.
        ///
        /// - Parameters:
        ///   - place: Its place, as the beginning of a sentence.
        ///   - note: An addition, as its end.
        /// - Returns: The end.
        func outcome(in place: String = "", note: String = "") -> SimperiumOutcome {
            isForGood ? .refused(place + reason + note) : .later(place + reason + note)
        }
    }

    /// A notice.
    public enum Notice: Hashable, Sendable {
        /// A socket is open.
        case opened
        /// The socket was closed, or could not be opened.
        case closed(reason: String)
        /// A bucket is as the server has it, but for what waits to be sent.
        case synced(bucket: String)
        /// An object is there, or changed; `old` is nil where it was not there.
        case changed(
            bucket: String, key: String, old: JSONValue?, new: JSONValue,
            because: ClientBucket.Cause)
        /// An object was deleted.
        case removed(bucket: String, key: String, old: JSONValue, because: ClientBucket.Cause)
        /// The server refused a change permanently, or it was not sent (without a code).
        case rejected(bucket: String, key: String, code: Int?, reason: String)
        /// The server does not take the token.
        case needsToken(code: Int?)
        /// The source of edits has ended.
        case endOfInput
        /// A log line.
        case log(String)
    }

    /// The data that the user has; nil where there is no such object.
    public func data(_ bucket: String, _ key: String) -> JSONValue? {
        place(bucket).flatMap { buckets[$0].data(key) }
    }

    /// The last known version on the server; nil where it has none.
    public func version(_ bucket: String, _ key: String) -> Int64? {
        place(bucket).flatMap { buckets[$0].ghost(key)?.version }
    }

    /// Keys of all objects of a bucket, in no order.
    public func keys(_ bucket: String) -> [String] {
        place(bucket).map { buckets[$0].keys } ?? []
    }

    /// Whether a bucket was ever read to its end.
    public func isKnown(_ bucket: String) -> Bool {
        place(bucket).map { buckets[$0].cv != nil } ?? false
    }

    /// Whether all buckets are as the server has them, but for what waits to be sent.
    public var isSynced: Bool { isOpen && buckets.allSatisfy { $0.phase == .synced } }

    /// Number of objects with something that the server has not answered; those that it refused
    /// do not count.
    public var pendingCount: Int { pending.reduce(0) { $0 + $1.count } }

    /// Number of objects that the server refused, until they are touched again.
    public var heldCount: Int { held.reduce(0) { $0 + $1.count } }

    /// Whether an object has something that the server has not answered.
    public func isPending(_ bucket: String, _ key: String) -> Bool {
        place(bucket).map { pending[$0].contains(ExactText(key)) } ?? false
    }

    /// Whether the server refused a change of an object, and it is not sent until it is touched.
    public func isHeld(_ bucket: String, _ key: String) -> Bool {
        place(bucket).map { held[$0].contains(ExactText(key)) } ?? false
    }

    private func place(_ bucket: String) -> Int? { settings.buckets.firstIndex(of: bucket) }
}

extension ClientBucket.SavedObject {
    /// Whether the server has not answered something of it, and it is not held back.
    var isPending: Bool { sent != nil || (hold == nil && isDirty) }

    /// Whether the user's value differs from the last known one on the server.
    var isDirty: Bool {
        switch (ghost?.data, local) {
        case (nil, nil): false
        case (let ghost?, let local?): ghost != local && !ghost.isSame(as: local)
        default: true
        }
    }
}
