import Simperium

/// The expected content of a ledger, computed in the simplest way: lists, and no caches.
///
/// Objects have numbers as members, so that the effect of a change is easy to check.
struct LedgerModel {
    typealias Members = [String: Int]

    struct Held: Equatable {
        var version: Int64
        var members: Members?
        var order = 0
    }

    /// A change of the server or of a client.
    struct Change {
        var key: String
        var operation: String
        var sv: Int64?
        var ev: Int64?
        /// Members that are set, or removed where there is no number.
        var edits: [String: Int?]?
        var whole: Members?
        var ccid: String
        var isRefused = false

        /// The change alone, in JSON.
        var text: String {
            var fields = [#""id":"\#(key)""#, #""o":"\#(operation)""#]
            if let sv { fields.append(#""sv":\#(sv)"#) }
            if let ev { fields.append(#""ev":\#(ev)"#) }
            if let edits {
                let operations = edits.map { name, value in
                    value.map { #""\#(name)":{"o":"+","v":\#($0)}"# } ?? #""\#(name)":{"o":"-"}"#
                }
                fields.append(#""v":{\#(operations.joined(separator: ","))}"#)
            }
            if let whole { fields.append(#""d":\#(LedgerModel.text(whole))"#) }
            fields.append(#""ccids":["\#(ccid)"]"#)
            if isRefused { fields.append(#""error":400"#) }
            return "{\(fields.joined(separator: ","))}"
        }
    }

    var objects: [String: Held] = [:]
    var proposals: [String: (ccid: String, members: Members?)] = [:]
    var isComplete = false
    /// Keys, the one that was touched last at the end.
    var touched: [String] = []
    var limits: (objects: Int, bytes: Int)?

    static func text(_ members: Members) -> String {
        "{\(members.map { #""\#($0)":\#($1)"# }.joined(separator: ","))}"
    }

    var bytes: Int {
        touched.reduce(0) { sum, key in
            let texts = [objects[key]?.members, proposals[key]?.members].compactMap { $0 }
            return sum + 128 + key.utf8.count
                + texts.reduce(0) { $0 + Self.text($1).utf8.count }
        }
    }

    mutating func touch(_ key: String) {
        touched.removeAll { $0 == key }
        if objects[key] != nil || proposals[key] != nil { touched.append(key) }
        while let limits, touched.count > limits.objects || bytes > limits.bytes {
            let oldest = touched.removeFirst()
            objects[oldest] = nil
            proposals[oldest] = nil
            isComplete = false
        }
    }

    mutating func entity(_ key: String, _ version: Int64, _ members: Members?, order: Int = 0) {
        if let held = objects[key], held.version > version { return }
        if let held = objects[key], held.version == version,
            members == nil || members == held.members
        {
            objects[key]?.order = order
        } else {
            objects[key] = Held(version: version, members: members, order: order)
        }
        touch(key)
    }

    /// What a change makes of what is held.
    func made(by change: Change) -> (members: Members?, outcome: Ledger.Outcome) {
        if let whole = change.whole { return (whole, .applied) }
        var members: Members = [:]
        if let sv = change.sv {
            guard objects[change.key]?.version == sv else { return (nil, .baseUnknown) }
            guard let base = objects[change.key]?.members else { return (nil, .dataUnknown) }
            members = base
        }
        guard let edits = change.edits else { return (nil, .inapplicable) }
        for (name, value) in edits {
            if value == nil, members[name] == nil { return (nil, .inapplicable) }
            members[name] = value
        }
        return (members, .applied)
    }

    mutating func take(_ change: Change, order: Int = 0) -> Ledger.Outcome {
        guard !change.isRefused, ["M", "-", "EMPTY"].contains(change.operation) else {
            return .nothing
        }
        if change.operation == "EMPTY" {
            objects = [:]
            proposals = [:]
            touched = []
            isComplete = true
            return .emptied
        }
        if let held = objects[change.key], let ev = change.ev, held.version >= ev {
            return .alreadyHad
        }
        if change.operation == "-" {
            objects[change.key] = nil
            return .applied
        }
        guard let ev = change.ev else { return .nothing }
        let (members, outcome) = made(by: change)
        if outcome == .applied {
            objects[change.key] = Held(version: ev, members: members, order: order)
        }
        return outcome
    }

    /// A change of the server, for a follower that forgets what cannot be computed.
    mutating func accept(_ change: Change) {
        if proposals[change.key]?.ccid == change.ccid { proposals[change.key] = nil }
        switch take(change) {
        case .baseUnknown, .dataUnknown, .inapplicable: objects[change.key] = nil
        case .emptied: return
        default: break
        }
        touch(change.key)
    }

    mutating func propose(_ change: Change) {
        let isEdit = change.operation == "M" && !change.isRefused
        proposals[change.key] = (change.ccid, isEdit ? made(by: change).members : nil)
        touch(change.key)
    }
}
