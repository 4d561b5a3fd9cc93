/// What a follower keeps of a whole document, for its notes and its end.
struct CommCareFacts {
    /// The maximum number of names of schemas kept, to look up those of indexed fixtures.
    static let longestList = 1000

    var isForm = false
    var isRestore = false
    var items: String?
    var messages = 0
    var nature: String?
    var syncChildren = 0
    var restoreIDs = 0
    var hasRestoreID = false
    var registrationStep = 0
    var schemas = 0
    var schemaIDs: Set<String> = []
    var blocks = 0
    var namespace: String?
    var hasMeta = false
    var instanceIDs = 0
    /// The root of a document that may be a form, until it is known to be one.
    var candidate: FormInstance?
    var rootName = XMLName("")
    var rootPosition = XMLPosition.start
    /// Files that were mentioned before the document was known to be a form.
    var files: [FileReference] = []
    /// Bytes of the names in ``schemaIDs`` and ``files``.
    var heldBytes = 0
}

/// An answer of a form that may name a file.
struct Answer {
    var name: String
    var position: XMLPosition
}

/// The entry of a ledger that is being read, and whether its quantities are in `value`.
struct LedgerEntryState {
    var entry: LedgerBlock.Entry
    var hasValues = false
}

extension XMLTag {
    /// The place after the tag: after its `>`.
    ///
    /// Scans the bytes since the last call.
    var end: XMLPosition {
        stream.walk(to: stream.readOffset)
        return stream.lines.position
    }
}
