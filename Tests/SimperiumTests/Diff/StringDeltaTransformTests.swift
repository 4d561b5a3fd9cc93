import Simperium
import Testing

struct StringDeltaTransformTests {
    private func transform(_ local: String, _ remote: String, _ base: String) throws -> String {
        try StringDelta(parsing: local)
            .transform(over: StringDelta(parsing: remote), base: base).text
    }

    @Test(arguments: [
        // Identical insertions at one place are doubled, as in the reference.
        ("q", "=1\t+x", "=1\t+x", "=2\t+x"),
        // Remote text comes first.
        ("ab", "=1\t+L\t=1", "=1\t+R\t=1", "=2\t+L\t=1"),
        ("ab", "+L\t=2", "=2\t+R", "+L\t=3"), ("ab", "=2\t+L", "+R\t=2", "=3\t+L"),
        // What both drop is dropped once.
        ("abc", "=1\t-1\t=1", "=1\t-1\t=1", "=2"), ("abcd", "-3\t=1", "=1\t-3", "-1"),
        ("abc", "-3", "-3", ""),
        // An insertion amid what is gone stays where that was.
        ("abcd", "=2\t+L\t=2", "=1\t-2\t=1", "=1\t+L\t=1"),
        ("abcd", "=2\t+L\t=2", "=1\t-2\t+R\t=1", "=1\t+L\t=2"),
        ("abc", "=1\t-1\t+L\t=1", "=1\t-1\t+R\t=1", "=2\t+L\t=1"),
        // Text inserted amid what is dropped is kept.
        ("abcd", "-4", "=2\t+R\t=2", "-2\t=1\t-2"),
        ("😀😁", "=2\t+x\t=2", "=2\t-2\t+%F0%9F%99%8C", "=2\t+x\t=2"),
        // A remote delta of half pairs that nevertheless gives text.
        ("😀😁", "=2\t+x\t=2", "=1\t-2\t=1", "+x\t=2"),
        ("😀😁", "=1\t-2\t=1", "=4\t+x", "-2\t=3"),
    ])
    func `rebases`(base: String, local: String, remote: String, expected: String) throws {
        #expect(try transform(local, remote, base) == expected)
    }

    @Test func `deltas for another text are refused`() throws {
        let error = DeltaError.length(delta: 1, base: 2, fits: nil)
        #expect(throws: error) { try transform("=1", "=2", "ab") }
        #expect(throws: error) { try transform("=2", "=1", "ab") }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `always applies, and converges without insertions at one place`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        var converging = 0
        for _ in 0..<250 {
            let base = documents.text(most: 20)
            let local = StringDelta.diff(from: base, to: documents.edited(base))
            let remote = StringDelta.diff(from: base, to: documents.edited(base))
            let afterRemote = try remote.apply(to: base)
            let afterLocal = try local.apply(to: base)
            let one = try local.transform(over: remote, base: base)
            let other = try remote.transform(over: local, base: base)
            let first = try one.apply(to: afterRemote)
            let second = try other.apply(to: afterLocal)
            #expect(!one.splitsPair(of: afterRemote))
            #expect(first.unicodeScalars.count == second.unicodeScalars.count)
            guard insertions(local).isDisjoint(with: insertions(remote)) else { continue }
            converging += 1
            #expect(first.utf8.elementsEqual(second.utf8))
        }
        #expect(converging >= 100)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `deltas of any steps give deltas that apply`(seed: UInt64) throws {
        var documents = RandomDocuments(seed: seed)
        for _ in 0..<100 {
            let base = documents.text(most: 6)
            let local = steps(of: base, &documents)
            let remote = steps(of: base, &documents)
            guard let new = try? remote.apply(to: base), (try? local.apply(to: base)) != nil else {
                continue
            }
            let delta = try local.transform(over: remote, base: base)
            _ = try delta.apply(to: new)
            #expect(!delta.splitsPair(of: new))
        }
    }

    /// Steps that need not respect pairs.
    private func steps(of base: String, _ documents: inout RandomDocuments) -> StringDelta {
        var rest = base.utf16.count
        var steps: [StringDelta.Step] = []
        while rest > 0 {
            let count = documents.number(in: 1...min(rest, 3))
            rest -= count
            steps.append(documents.number(in: 0...2) == 0 ? .drop(count) : .keep(count))
            if documents.number(in: 0...3) == 0 { steps.append(.insert(documents.text(most: 2))) }
        }
        return StringDelta(steps: steps)
    }

    /// Places of the old text at which something is inserted.
    private func insertions(_ delta: StringDelta) -> Set<Int> {
        var place = 0
        var places: Set<Int> = []
        for step in delta.steps {
            switch step {
            case .keep(let count), .drop(let count): place += count
            case .insert: places.insert(place)
            }
        }
        return places
    }
}
