import Notation
import Simperium
import Testing
import Wire

/// Ledgers against ``LedgerModel``, over random commands.
struct LedgerPropertyTests {
    private static let keys = ["k", "l", "m", "a longer key", "o", "p"]

    private static func members(_ random: inout SplitMix64) -> LedgerModel.Members {
        let names = ["a", "b", "c", "d"].filter { _ in Bool.random(using: &random) }
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, Int.random(in: 0...99, using: &random)) })
    }

    /// A change that often fits what is held.
    private static func change(
        _ model: LedgerModel, _ random: inout SplitMix64
    ) -> LedgerModel.Change {
        func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
        let key = keys.randomElement(using: &random) ?? ""
        let held = model.objects[key]?.version
        var change = LedgerModel.Change(
            key: key, operation: "M",
            ccid: model.proposals[key]?.ccid ?? "c\(Int.random(in: 0...9, using: &random))")
        if chance(4) { change.ccid = "other" }
        if chance(6) { change.operation = "-" }
        if chance(40) { change.operation = ["EMPTY", "x"].randomElement(using: &random) ?? "" }
        if !chance(3) { change.sv = chance(5) ? Int64.random(in: 0...9, using: &random) : held }
        change.ev =
            chance(3) ? Int64.random(in: 0...9, using: &random) : (held ?? 0) + (chance(4) ? 2 : 1)
        if chance(12) { change.ev = nil }
        if !chance(12) {
            change.edits = members(&random).mapValues { $0 > 90 ? nil : $0 }
        }
        if chance(10) { change.whole = members(&random) }
        change.isRefused = chance(10)
        return change
    }

    private static func members(_ json: [UInt8]?) -> LedgerModel.Members? {
        guard let json, case .object(let object)? = Ledger.Object.value(json) else { return nil }
        return Dictionary(
            object.members.map { ($0.key.string, Int($0.value.text()) ?? -1) },
            uniquingKeysWith: { _, last in last })
    }

    private static func isSame(_ ledger: Ledger, _ model: LedgerModel) -> Bool {
        ledger.isComplete == model.isComplete && ledger.objects.count == model.objects.count
            && ledger.proposals.count == model.proposals.count
            && model.objects.allSatisfy { key, held in
                ledger.object(key).map {
                    $0.version == held.version && members($0.json) == held.members
                } ?? false
            }
            && model.proposals.allSatisfy { key, proposal in
                ledger.proposal(key).map {
                    $0.ccid == proposal.ccid && members($0.json) == proposal.members
                } ?? false
            }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `follows commands within its limits`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let limits = Ledger.Limits(
            objects: Int.random(in: 1...6, using: &random),
            bytes: Int.random(in: 100...1_500, using: &random))
        var ledger = Ledger(limits: limits)
        var model = LedgerModel(limits: (limits.objects, limits.bytes))
        for _ in 0..<300 {
            var sender = Peer.server
            let text: String
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let key = Self.keys.randomElement(using: &random) ?? ""
                let version = Int64.random(in: 1...9, using: &random)
                let members = Self.members(&random)
                text = "0:e:\(key).\(version)\n{\"data\":\(LedgerModel.text(members))}"
                model.entity(key, version, members)
            case 1:
                let entries = Self.keys.prefix(3).map { ($0, Self.members(&random)) }
                let words = entries.map { #"{"id":"\#($0)","v":3,"d":\#(LedgerModel.text($1))}"# }
                text = #"0:i:{"index":[\#(words.joined(separator: ","))]}"#
                for (key, members) in entries { model.entity(key, 3, members) }
            case 2:
                let change = Self.change(model, &random)
                sender = .client
                text = "0:c:\(change.text)"
                model.propose(change)
            default:
                let first = Self.change(model, &random)
                model.accept(first)
                let second = Self.change(model, &random)
                model.accept(second)
                text = "0:c:[\(first.text),\(second.text)]"
            }
            ledger.see(read(text, from: sender), in: Array(text.utf8))
            try #require(
                Self.isSame(ledger, model) && ledger.bytes == model.bytes
                    && ledger.count == model.touched.count, "\(text)")
        }
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `reports the outcome of each object and change`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var ledger = Ledger(limits: nil)
        var model = LedgerModel()
        var computed = ComputedChanges(limit: 8)
        for order in 0..<300 {
            let source = Ledger.Source(order: order)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...1:
                let key = Self.keys.randomElement(using: &random) ?? ""
                let version = Int64.random(in: 1...9, using: &random)
                let members = Bool.random(using: &random) ? Self.members(&random) : nil
                let json = members.map { Array(LedgerModel.text($0).utf8) }
                ledger.take(ExactText(key), version, json: json, from: source)
                model.entity(key, version, members, order: order)
            case 2:
                var listing = Ledger.Listing(since: order - Int.random(in: 0...9, using: &random))
                listing.keys = Set(Self.keys.prefix(3).map(ExactText.init))
                let gone = ledger.end(listing) { $0.string == "p" }
                let expected = model.objects.filter { key, held in
                    held.order < listing.since && !listing.keys.contains(ExactText(key))
                        && key != "p"
                }
                try #require(Set(gone.map(\.string)) == Set(expected.keys))
                for key in gone { model.objects[key.string] = nil }
                model.isComplete = true
            default:
                let change = Self.change(model, &random)
                let text = "0:c:[\(change.text)]"
                guard case .changes(let changes) = read(text, from: .server).body else {
                    throw Unexpected()
                }
                let outcome = ledger.take(
                    changes[0], in: Array(text.utf8), from: source, &computed)
                try #require(outcome == model.take(change, order: order), "\(text)")
                guard [.baseUnknown, .dataUnknown, .inapplicable].contains(outcome) else { break }
                ledger.holdVersion(of: changes[0], from: source)
                if let ev = change.ev {
                    model.objects[change.key] = LedgerModel.Held(
                        version: ev, members: nil, order: order)
                }
            }
            try #require(Self.isSame(ledger, model))
        }
    }
}
