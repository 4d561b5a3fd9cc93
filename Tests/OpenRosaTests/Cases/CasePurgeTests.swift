import Notation
import Testing
import Wire

@testable import OpenRosa

/// A case in a line: `id owner open|closed index>target index=>host`.
private func cases(_ lines: String...) -> [ExactText: CaseState] {
    var result: [ExactText: CaseState] = [:]
    for line in lines {
        let words = line.split(separator: " ").map(String.init)
        var state = CaseState(id: words[0])
        state.ownerID = words[1]
        state.isClosed = words[2] == "closed"
        for word in words.dropFirst(3) {
            let isExtension = word.contains("=>")
            let ends = word.replacing("=>", with: ">").split(separator: ">").map(String.init)
            state.indices[ExactText(ends[0])] = .init(
                target: ends[1],
                relationship: isExtension ? CaseState.Index.extension : CaseState.Index.child)
        }
        result[ExactText(state.id)] = state
    }
    return result
}

@Suite struct CasePurgeTests {
    static let scenarios: [([ExactText: CaseState], [String])] = [
        (cases("a me open", "b me closed", "c you open"), ["b", "c"]),
        // A child keeps its parent, whoever has it and whether or not it is open.
        (cases("a me open p>b", "b you closed"), []),
        (cases("a me closed p>b", "b me open"), ["a"]),
        (cases("a you open p>b", "b me open"), ["a"]),
        (cases("a me open p>b", "b you closed p>c", "c you closed"), []),
        // An extension lives as long as its host, and keeps it.
        (cases("a you open h=>b", "b me open"), []),
        (cases("a me open h=>b", "b you open"), []),
        (cases("a me open h=>b", "b you closed"), ["a", "b"]),
        (cases("a me closed h=>b", "b me open"), ["a"]),
        (cases("a you open h=>b", "b you open"), ["a", "b"]),
        (cases("a you open h=>b", "b you open h=>c", "c me open"), []),
        (cases("a you open h=>b", "b you closed h=>c", "c me open"), ["a", "b"]),
        // Of two indices to one case, one that is no extension counts.
        (cases("a me open h=>b c>b", "b you closed"), []),
        // What refers to nothing goes, and what refers to that.
        (cases("a me open p>x", "b me open p>a", "c me open", "d me open p>c"), ["a", "b"]),
        (cases("a me open p>x q>c", "c me open"), ["a"]),
    ]

    @Test(arguments: scenarios)
    func `deletes`(cases: [ExactText: CaseState], expected: [String]) throws {
        let purge = try CasePurge.judge(cases, owners: [ExactText("me")])
        #expect(purge.removed.map(\.string).sorted() == expected)
    }

    @Test func `says what is missing`() throws {
        var set = CaseSet()
        for state in cases("a me open p>x", "b me open p>a", "c you open").values { set.put(state) }
        let purge = try set.purge(owners: nil)
        #expect(purge.missing == [ExactText("x")])
        #expect(purge.orphaned == [ExactText("a"), ExactText("b")])
        #expect(set.cases.keys.map(\.string) == ["c"], "without owners everybody's cases stay")
        #expect(set.stateHash == CaseStateHash(caseIDs: ["c"]))
    }

    @Test func `finds circles, and does not walk in them`() throws {
        let circle = cases("a me open p>b", "b me open p>c", "c me open h=>a", "d me open p>a")
        let cycle = #expect(throws: CasePurge.Cycle.self) {
            try CasePurge.judge(circle, owners: nil)
        }
        #expect(cycle?.ids.sorted() == ["a", "b", "c"])
        var set = CaseSet()
        for state in circle.values { set.put(state) }
        let before = set
        #expect(throws: CasePurge.Cycle.self) { try set.purge(owners: nil) }
        #expect(set == before)
    }

    @Test func `two passes are too few for chains that turn often`() throws {
        // Alive goes from x along a child index, back along an extension, and so on.
        let chain = cases(
            "x me open p>h0", "h0 you open", "e0 you open h=>h0 p>h1", "h1 you open",
            "e1 you open h=>h1 p>h2", "h2 you open", "e2 you open h=>h2 p>h3", "h3 you open")
        let owners: Set = [ExactText("me")]
        let device = try CasePurge.judge(chain, owners: owners)
        let complete = try CasePurge.judge(chain, owners: owners, passes: .complete)
        #expect(complete.removed.isSubset(of: device.removed))
        #expect(complete.removed != device.removed)
    }

    @Test func `long chains take neither stack nor long`() throws {
        var chain: [ExactText: CaseState] = [:]
        for place in 0..<50_000 {
            var state = CaseState(id: "\(place)")
            state.ownerID = place == 0 ? "me" : "you"
            if place < 49_999 {
                state.indices[ExactText("p")] = .init(target: "\(place + 1)")
            }
            chain[ExactText(state.id)] = state
        }
        #expect(try CasePurge.judge(chain, owners: [ExactText("me")]).removed.isEmpty)
        chain[ExactText("49999")] = nil
        #expect(try CasePurge.judge(chain, owners: nil).removed.count == 49_999)
    }

    /// Relevant, available and alive as their definitions say it, until nothing changes.
    private func naive(_ cases: [ExactText: CaseState], owner: String) -> Set<ExactText> {
        var rest = cases
        while true {
            let orphans = rest.values.filter { state in
                state.indices.values.contains { rest[ExactText($0.target)] == nil }
            }
            if orphans.isEmpty { break }
            for orphan in orphans { rest[ExactText(orphan.id)] = nil }
        }
        func owned(_ state: CaseState) -> Bool { state.ownerID == owner }
        func extends(_ state: CaseState, _ target: ExactText) -> Bool {
            let all = state.indices.values.filter { ExactText($0.target) == target }
            return !all.isEmpty && all.allSatisfy(\.isExtension)
        }
        func hosts(_ state: CaseState) -> [ExactText] {
            state.indices.values.map { ExactText($0.target) }.filter { extends(state, $0) }
        }
        func grow(
            _ start: Set<ExactText>, _ rule: (ExactText, CaseState, Set<ExactText>) -> Bool
        ) -> Set<ExactText> {
            var set = start
            while true {
                let new = rest.filter { !set.contains($0.key) && rule($0.key, $0.value, set) }
                if new.isEmpty { return set }
                set.formUnion(new.keys)
            }
        }
        func isReferredTo(_ id: ExactText, from set: Set<ExactText>) -> Bool {
            set.contains { other in
                rest[other]?.indices.values.contains { ExactText($0.target) == id } == true
            }
        }
        let start = Set(rest.filter { owned($0.value) && !$0.value.isClosed }.keys)
        let up = grow(start) { id, _, set in isReferredTo(id, from: set) }
        let relevant = grow(up) { _, state, set in hosts(state).contains { set.contains($0) } }
        let base = relevant.filter { id in
            rest[id].map { !$0.isClosed && hosts($0).isEmpty } ?? false
        }
        let available = grow(base) { _, state, set in
            !state.isClosed && hosts(state).contains { set.contains($0) }
        }
        let seeds = available.filter { id in relevant.contains(id) && rest[id].map(owned) == true }
        let alive = grow(seeds) { id, state, set in
            isReferredTo(id, from: set)
                || !state.isClosed && hosts(state).contains { set.contains($0) }
        }
        return Set(cases.keys).subtracting(alive)
    }

    @Test func `agrees with the definitions on 3000 graphs`() throws {
        var differing = 0
        for seed in 0..<3000 {
            var random = SplitMix64(seed: UInt64(seed))
            let count = Int.random(in: 1...9, using: &random)
            var cases: [ExactText: CaseState] = [:]
            for place in 0..<count {
                var state = CaseState(id: "é\(place)")
                state.ownerID = Bool.random(using: &random) ? "me" : "you"
                state.isClosed = Int.random(in: 0..<4, using: &random) == 0
                for name in ["i", "j"] where place > 0 && Bool.random(using: &random) {
                    let isMissing = Int.random(in: 0..<25, using: &random) == 0
                    state.indices[ExactText(name)] = .init(
                        target: isMissing
                            ? "gone" : "é\(Int.random(in: 0..<place, using: &random))",
                        relationship: Bool.random(using: &random) ? "child" : "extension")
                }
                cases[ExactText(state.id)] = state
            }
            let owners: Set = [ExactText("me")]
            let complete = try CasePurge.judge(cases, owners: owners, passes: .complete).removed
            #expect(complete == naive(cases, owner: "me"), "seed \(seed)")
            let device = try CasePurge.judge(cases, owners: owners).removed
            #expect(complete.isSubset(of: device))
            if complete != device { differing += 1 }
        }
        #expect(differing < 30, "\(differing) of 3000 small graphs need more than two passes")
    }
}
