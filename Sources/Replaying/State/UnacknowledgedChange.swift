internal import Notation
internal import Simperium
public import Wire

/// A change that a client sent and has not seen acknowledged.
public struct UnacknowledgedChange: Hashable, Sendable {
    /// Its outcome, as far as known.
    public enum Outcome: Hashable, Sendable {
        /// It was on its way to the server and nothing came back.
        case unanswered
        /// The server never got it.
        case lost
        /// The server sent it to another client as part of this version, and its own client did not
        /// receive that.
        case accepted(version: Int64?)
        /// The client received that the server has it already (409), and has not received the
        /// change.
        case duplicate
        /// The client received that the server refused it.
        case refused(code: Int)
        /// The server sent that it refused it, and the client did not receive that.
        case refusedUnseen(code: Int)
    }

    /// Identifier of the change.
    public var ccid: String
    /// Key of the object.
    public var key: String
    /// Whether the object is removed.
    public var isRemoval: Bool
    /// Version it applies to; nil for a new object.
    public var sv: Int64?
    /// The JSON text of its map of operations; nil where it has none.
    public var operations: [UInt8]?
    /// The JSON text of the whole object, where it was sent.
    public var data: [UInt8]?
    /// The command that sent it first; nil where no receiver got that.
    public var command: CommandID?
    /// When it was sent first.
    public var at: Instant
    /// How many times it was sent.
    public var tries = 1
    /// Its outcome, as far as known.
    public var outcome = Outcome.unanswered

    /// The object after this change; nil where it is removed or unknown.
    func applied(to json: [UInt8]?) -> [UInt8]? {
        if isRemoval { return nil }
        if let data { return data }
        guard let operations, let map = Ledger.Object.value(operations) else { return nil }
        let base = json ?? (sv == nil ? Array("{}".utf8) : nil)
        guard let base, let value = Ledger.Object.value(base) else { return nil }
        return (try? JSONDiff.apply(map, to: value))?.bytes()
    }
}

/// A change of the server that a client does not have.
public struct MissedChange: Hashable, Sendable {
    /// Why it does not have it.
    public enum Reason: Hashable, Sendable {
        /// It never reached the client.
        case lost
        /// The client had another version than the one it applies to, or the object was unknown.
        case gap
        /// It does not fit what the client has.
        case inapplicable
    }

    /// Why.
    public var reason: Reason
    /// The command that contained it; nil where no receiver got that.
    public var command: CommandID?
    /// Version of the object after it; nil where it is unknown.
    public var version: Int64?
    /// When.
    public var at: Instant
}
