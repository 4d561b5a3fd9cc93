/// One `case` element of a form: what it does to a case.
///
/// Source: case transactions, version 2, `http://commcarehq.org/case/transaction/v2`.
struct CaseBlock: Hashable, Sendable {
    /// A named value, in order of the document.
    struct Property: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// A reference to another case.
    struct Index: Hashable, Sendable {
        var name: String
        var type: String
        /// `child` or `extension`.
        var relationship: String
        /// Identifier of the other case; empty where the reference goes.
        var target: String
    }

    /// Identifier of the case; empty where the block has none.
    var id = ""
    /// When the device changed it, as sent.
    var modified = ""
    /// The user who changed it, as sent.
    var user = ""
    /// What `create` says; nil where there is none.
    var create: [Property]?
    /// What `update` says.
    var update: [Property] = []
    /// What `index` says.
    var indices: [Index] = []
    /// Whether the case is closed.
    var closes = false
}
