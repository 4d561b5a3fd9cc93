import Filters
import Notation
import Testing
import Wire

@testable import Faults

struct ScopeCountsTests {
    @Test func `forgets what was used least recently`() {
        var counts = ScopeCounts(capacity: 3)
        func key(_ value: String) -> ScopeKey { ScopeKey(rule: 7, value) }
        for value in ["a", "b", "c"] {
            #expect(counts.update(key(value)) { $0.occurrences += 1 } == nil)
        }
        #expect(counts.update(key("a")) { $0.occurrences += 1 } == nil)
        #expect(counts.update(key("d")) { $0.occurrences += 1 } == 7)
        #expect(counts[key("b")] == nil)
        #expect(counts[key("a")]?.occurrences == 2)
        #expect(counts[key("c")]?.occurrences == 1)
        #expect(counts.count == 3)
    }

    @Test(arguments: 1..<6) func `agrees with a plain list`(capacity: Int) {
        var counts = ScopeCounts(capacity: capacity)
        var list: [(ScopeKey, Int64)] = []
        var draws = SplitMix64(seed: UInt64(capacity))
        for _ in 0..<2000 {
            let key = ScopeKey(
                rule: Int.random(in: 0..<3, using: &draws),
                "\(Int.random(in: 0..<4, using: &draws))")
            _ = counts.update(key) { $0.occurrences += 1 }
            if let place = list.firstIndex(where: { $0.0 == key }) {
                list.append((key, list.remove(at: place).1 + 1))
            } else {
                if list.count == capacity { list.removeFirst() }
                list.append((key, 1))
            }
            if Int.random(in: 0..<50, using: &draws) == 0 {
                counts.keep { $0 != 1 }
                list.removeAll { $0.0.rule == 1 }
            }
            #expect(counts.count == list.count)
            #expect(list.allSatisfy { counts[$0.0]?.occurrences == $0.1 })
        }
    }

    @Test func `says how many scopes were forgotten, and never the count over all`() throws {
        let plan = try FaultPlan().adding(line: "path:/a => 503 nth=1,2 per=key name=keys")
            .adding(line: "path:/a => drop name=all")
        let session = FaultSession(plan: plan, seed: 1, maximumScopes: 10)
        for number in 0..<25 {
            _ = session.judge(
                FewFields(fields: [.path: .text("/a")]), phase: .requestHead,
                scope: FaultScope(connection: ConnectionID(1), client: "c", key: "\(number)"),
                at: .zero)
        }
        #expect(session.rules.map(\.forgotten) == [15, 0])
        #expect(session.rules.map(\.fired) == [25, 25])
    }

    @Test func `keeps long values short and apart`() {
        let long = String(repeating: "é", count: 5000)
        let a = ScopeKey.bounded(long)
        let b = ScopeKey.bounded(long + "x")
        #expect(a != b)
        #expect(a.utf8.count <= 220)
        #expect(a.hasPrefix("éé"))
        #expect(ScopeKey.bounded("short") == "short")
    }

    @Test func `keeps a bounded number of marks`() {
        var marks = FaultMarks()
        for number in 0..<20_005 {
            marks.put(MarkRow(at: Instant(nanoseconds: Int64(number)), name: "\(number)"))
        }
        #expect(marks.rows.count == FaultMarks.maximum)
        #expect(marks.latest("20004", by: Instant(nanoseconds: 20_004)) == 20_004)
        #expect(marks.latest("1", by: Instant(nanoseconds: 20_004)) == nil)
    }
}

struct FaultDrawTests {

    @Test func `draws from all four parts`() {
        let draw = FaultDraw.draw(seed: 1, rule: "a", scope: "b", occurrence: 1)
        #expect(draw == FaultDraw.draw(seed: 1, rule: "a", scope: "b", occurrence: 1))
        for other in [
            FaultDraw.draw(seed: 2, rule: "a", scope: "b", occurrence: 1),
            FaultDraw.draw(seed: 1, rule: "ab", scope: "", occurrence: 1),
            FaultDraw.draw(seed: 1, rule: "", scope: "ab", occurrence: 1),
            FaultDraw.draw(seed: 1, rule: "b", scope: "a", occurrence: 1),
            FaultDraw.draw(seed: 1, rule: "a", scope: "b", occurrence: 2),
        ] { #expect(other != draw) }
    }
}
