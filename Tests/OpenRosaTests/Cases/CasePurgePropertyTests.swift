import Notation
import Testing
import Wire

@testable import OpenRosa

/// What a device keeps, as the definitions of commcare-core say it: sets that grow until nothing
/// changes, without a graph.
private struct KeptCases {
    let all: [ExactText: CaseState]
    let owners: Set<ExactText>?
    private var rest: [ExactText: CaseState]

    init(_ all: [ExactText: CaseState], owners: Set<ExactText>?) {
        self.all = all
        self.owners = owners
        rest = all
        while true {
            let orphans = rest.values.filter { state in
                state.indices.values.contains { rest[ExactText($0.target)] == nil }
            }
            if orphans.isEmpty { break }
            for orphan in orphans { rest[ExactText(orphan.id)] = nil }
        }
    }

    /// Those that refer to a case that is not there, and what refers to them.
    var orphaned: Set<ExactText> { Set(all.keys).subtracting(rest.keys) }

    /// What is left after cases that refer to none of the rest are taken out, again and again.
    var isCircular: Bool {
        var left = rest
        while true {
            let ends = left.filter { _, state in
                !state.indices.values.contains { left[ExactText($0.target)] != nil }
            }
            if ends.isEmpty { return !left.isEmpty }
            for id in ends.keys { left[id] = nil }
        }
    }

    private func isOwned(_ state: CaseState) -> Bool {
        guard let owners else { return true }
        return state.ownerID.map { owners.contains(ExactText($0)) } ?? false
    }

    private func hosts(_ state: CaseState) -> [ExactText] {
        state.indices.values.map { ExactText($0.target) }.filter { target in
            state.indices.values.allSatisfy { ExactText($0.target) != target || $0.isExtension }
        }
    }

    private func grow(
        _ start: Set<ExactText>, _ rule: (ExactText, CaseState, Set<ExactText>) -> Bool
    ) -> Set<ExactText> {
        var set = start
        while true {
            let new = rest.filter { !set.contains($0.key) && rule($0.key, $0.value, set) }
            if new.isEmpty { return set }
            set.formUnion(new.keys)
        }
    }

    /// With what the cases refer to.
    private func withTargets(_ start: Set<ExactText>) -> Set<ExactText> {
        grow(start) { id, _, set in
            set.contains { other in
                rest[other]?.indices.values.contains { ExactText($0.target) == id } == true
            }
        }
    }

    /// With what extends the cases.
    private func withExtensions(_ start: Set<ExactText>, ofOpen: Bool) -> Set<ExactText> {
        grow(start) { _, state, set in
            !(ofOpen && state.isClosed) && hosts(state).contains { set.contains($0) }
        }
    }

    /// The cases that stay; `rounds` is how often liveness is passed on, nil for until nothing
    /// changes.
    func alive(rounds: Int?) -> Set<ExactText> {
        let start = Set(rest.filter { isOwned($0.value) && !$0.value.isClosed }.keys)
        let relevant = withExtensions(withTargets(start), ofOpen: false)
        let base = relevant.filter { id in
            rest[id].map { !$0.isClosed && hosts($0).isEmpty } ?? false
        }
        let available = withExtensions(base, ofOpen: true)
        var alive = available.filter { id in
            relevant.contains(id) && rest[id].map(isOwned) == true
        }
        for _ in 0..<(rounds ?? rest.count + 1) {
            alive = withExtensions(withTargets(alive), ofOpen: true)
        }
        return alive
    }
}

/// The purge against its definition, over random cases.
@Suite struct CasePurgePropertyTests {
    private static func cases(_ random: inout SplitMix64, isCircular: Bool) -> [CaseState] {
        let count = Int.random(in: 1...12, using: &random)
        return (0..<count).map { place in
            var state = CaseState(id: "é\(place)")
            state.ownerID = ["me", "team", "you", "", nil].randomElement(using: &random) ?? nil
            state.isClosed = Int.random(in: 0..<4, using: &random) == 0
            // To earlier cases, so that there are no circles other than where they are asked for.
            let room = isCircular ? count : place
            for name in ["i", "j", "k"] where room > 0 && Bool.random(using: &random) {
                let isMissing = Int.random(in: 0..<25, using: &random) == 0
                state.indices[ExactText(name)] = .init(
                    target: isMissing ? "gone" : "é\(Int.random(in: 0..<room, using: &random))",
                    relationship: ["child", "extension", "odd"].randomElement(using: &random)
                        ?? "child")
            }
            return state
        }
    }

    @Test func `agrees with the definitions on 4000 graphs, however it is cut`() throws {
        var differing = 0
        for seed in 0..<4000 {
            var random = SplitMix64(seed: UInt64(seed))
            let states = Self.cases(&random, isCircular: false)
            let cases = Dictionary(uniqueKeysWithValues: states.map { (ExactText($0.id), $0) })
            let owners: Set<ExactText>? =
                seed % 5 == 0 ? nil : [ExactText("me"), ExactText("team")]
            let kept = KeptCases(cases, owners: owners)
            let all = Set(cases.keys)

            let complete = try CasePurge.judge(cases, owners: owners, passes: .complete)
            #expect(complete.removed == all.subtracting(kept.alive(rounds: nil)), "seed \(seed)")
            #expect(complete.orphaned == kept.orphaned, "seed \(seed)")
            let device = try CasePurge.judge(cases, owners: owners)
            #expect(device.removed == all.subtracting(kept.alive(rounds: 2)), "seed \(seed)")
            if complete.removed != device.removed { differing += 1 }

            var search = CaseLiveness(owners: owners, count: states.count)
            for state in states.shuffled(using: &random) { search.add(state) }
            while !search.isDone {
                var budget = Int.random(in: 1...7, using: &random)
                search.advance(&budget)
            }
            for id in all {
                #expect(search.isAlive(id) != complete.removed.contains(id), "seed \(seed) \(id)")
            }
        }
        #expect(differing > 0, "no graph needs more than the two passes of a device")
    }

    @Test func `finds a circle where there is one, and no other`() {
        var circles = 0
        for seed in 0..<1000 {
            var random = SplitMix64(seed: UInt64(seed))
            let states = Self.cases(&random, isCircular: true)
            let cases = Dictionary(uniqueKeysWithValues: states.map { (ExactText($0.id), $0) })
            let isCircular = KeptCases(cases, owners: nil).isCircular
            do throws(CasePurge.Cycle) {
                _ = try CasePurge.judge(cases, owners: nil)
                #expect(!isCircular, "seed \(seed)")
            } catch {
                circles += 1
                #expect(isCircular, "seed \(seed)")
                for (id, next) in zip(error.ids, error.ids.dropFirst() + error.ids.prefix(1)) {
                    let targets = cases[ExactText(id)]?.indices.values.map(\.target) ?? []
                    #expect(targets.contains(next), "seed \(seed): \(error.ids)")
                }
            }
        }
        #expect(circles > 100)
    }
}
