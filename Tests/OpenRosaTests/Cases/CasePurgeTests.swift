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
}
