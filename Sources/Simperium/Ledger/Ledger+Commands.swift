public import Notation
internal import Wire

extension Ledger {
    /// A change that a client sent and the server has not answered yet.
    public struct Proposal: Hashable, Sendable {
        /// Identifier of the change.
        public var ccid: String
        /// Version it applies to; nil for a new object.
        public var sv: Int64?
        /// The client's object after it, as JSON text; nil where that is unknown or removed.
        public var json: [UInt8]?
        /// Whether the client removed the object.
        public var isRemoval: Bool
    }

    /// The last unanswered change that a client sent for this object.
    public func proposal(_ key: String) -> Proposal? { proposals[ExactText(key)] }

    /// The object that a change applies to; nil where that version is unknown.
    ///
    /// Call this before ``see(_:in:)`` with the command of the change. A change without `sv` applies
    /// to a new object.
    public func base(of change: SimperiumChange<Range<Int>>) -> JSONValue? {
        guard let key = change.key, change.error == nil else { return nil }
        let object = object(key)
        guard let sv = change.sv else {
            return change.operation == .remove ? object?.value : .object(JSONObject())
        }
        guard let object, object.version == sv else { return nil }
        return object.value
    }

    /// Processes the next command that was sent on the bucket.
    ///
    /// Objects and changes of the server are applied; a client's change is a proposal until it is
    /// answered. An object whose data after a change cannot be computed is unknown from then on.
    ///
    /// - Parameters:
    ///   - command: A command, in the order in which commands were sent.
    ///   - message: The message it was read from.
    public mutating func see(_ command: SimperiumCommand, in message: [UInt8]) {
        func text(_ range: Range<Int>?) -> [UInt8]? {
            range.flatMap { $0.upperBound <= message.count ? Array(message[$0]) : nil }
        }
        switch command.body {
        case .indexPage(let page):
            for entry in page.entries {
                guard let key = entry.key, let version = entry.version,
                    let json = text(entry.data)
                else { continue }
                take(ExactText(key), version, json: json)
            }
        case .entity(let reply):
            guard let json = text(reply.data) else { break }
            take(ExactText(reply.key), reply.version, json: json)
        case .changes(let changes):
            work = 0
            for change in changes {
                if command.sender == .server {
                    accept(change, in: message)
                } else {
                    propose(change, in: message)
                }
            }
        default: break
        }
        if command.sender == .server, let cv = command.cv, !cv.isEmpty { self.cv = cv }
    }

    /// A change that the server sent.
    private mutating func accept(_ change: SimperiumChange<Range<Int>>, in message: [UInt8]) {
        guard let key = change.key.map(ExactText.init) else {
            if change.effect == .empties { empty() }
            return
        }
        if let proposal = proposals[key], change.ccids.contains(proposal.ccid) {
            self.change(key) { $0.proposals[key] = nil }
        }
        var computed = ComputedChanges(limit: 0)
        switch take(change, in: message, &computed) {
        case .baseUnknown, .dataUnknown, .inapplicable: forget(key)
        // A refused change counts as a use of its object.
        case .alreadyHad, .nothing: self.change(key) { _ in }
        case .applied, .emptied: break
        }
    }

    /// A change that a client sent.
    private mutating func propose(_ change: SimperiumChange<Range<Int>>, in message: [UInt8]) {
        guard let name = change.key, let ccid = change.ccids.first else { return }
        let key = ExactText(name)
        let isRemoval = change.operation == .remove
        let proposal = Proposal(
            ccid: ccid, sv: change.sv, json: proposed(change, objects[key], in: message),
            isRemoval: isRemoval)
        self.change(key) { $0.proposals[key] = proposal }
    }

    /// The JSON text of the object after a client's change.
    private mutating func proposed(
        _ change: SimperiumChange<Range<Int>>, _ held: Object?, in message: [UInt8]
    ) -> [UInt8]? {
        let effect = change.effect
        var base = Self.emptyObject
        if case .edits(_, let sv?) = effect {
            guard let held, held.version == sv, let json = held.json, affords(json.count) else {
                return nil
            }
            base = json
        }
        var computed = ComputedChanges(limit: 0)
        return Self.result(effect, change.cv, on: base, in: message, &computed)
    }
}
