import Testing
import Wire

@testable import Proxying

/// What is recorded of bytes that a fault changed, however they are divided and rewritten.
@Suite struct AlterationTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func text(_ alteration: Alteration) -> String {
        String(decoding: alteration.original, as: UTF8.self) + " "
            + alteration.patches.map {
                "\($0.offset)-\($0.removed)+\(String(decoding: $0.inserted, as: UTF8.self))"
            }.joined(separator: " ")
    }

    @Test func `knows the one place that differs`() {
        let alteration = Alteration(of: Self.bytes("abcdef"), by: Self.bytes("abXf"))
        #expect(text(alteration) == "abcdef 2-3+X")
        #expect(text(Alteration(of: Self.bytes("ab"), by: Self.bytes("ab"))) == "ab ")
    }

    @Test func `finds the smallest place that differs`() {
        var dice = Draws(state: 7)
        for _ in 0..<2_000 {
            let (bytes, others) = (dice.bytes(40), dice.bytes(40))
            let whole = Patch(offset: 0, removed: bytes.count, inserted: others, reason: .fault)
            let made = Alteration(of: bytes, by: others)
            #expect(made.patches == whole.trimmed(in: bytes[...]).map { [$0] } ?? [])
        }
    }

    @Test func `gives what was taken out at a boundary to the part before`() {
        let alteration = Alteration(of: Self.bytes("abcdef"), by: Self.bytes("abf"))
        #expect(text(alteration.part(0..<2)) == "abcde 2-3+")
        #expect(text(alteration.part(2..<3)) == "f ")
        let first = Alteration(of: Self.bytes("abc"), by: Self.bytes("c"))
        #expect(text(first.part(0..<0)) == " ")
        #expect(text(first.part(0..<1)) == "abc 0-2+")
    }

    @Test func `shares out what was replaced between the parts of what replaces it`() {
        let alteration = Alteration(of: Self.bytes("abcd"), by: Self.bytes("XYZ"))
        #expect(text(alteration.part(0..<1)) == "a 0-1+X")
        #expect(text(alteration.part(1..<3)) == "bcd 0-3+YZ")
        let longer = Alteration(of: Self.bytes("a"), by: Self.bytes("XYZ"))
        #expect(text(longer.part(0..<1)) == "a 0-1+X")
        #expect(text(longer.part(1..<3)) == " 0-0+YZ")
    }

    @Test func `leaves a rewrite beside a fault what it is, and makes it one with a fault in it`() {
        let forwarded = Self.bytes("Host: a\r\nB: dd")
        let alteration = Alteration(of: Self.bytes("Host: a\r\nB: c"), by: forwarded)
        let host = Patch(offset: 6, removed: 1, inserted: Self.bytes("o"), reason: .host)
        #expect(
            alteration.composed(with: [host], of: forwarded[...]) == [
                host, Patch(offset: 12, removed: 1, inserted: Self.bytes("dd"), reason: .fault),
            ])
        let other = Alteration(of: Self.bytes("Host: abc"), by: Self.bytes("Host: aXc"))
        let value = Patch(offset: 6, removed: 3, inserted: Self.bytes("o"), reason: .host)
        #expect(
            other.composed(with: [value], of: Self.bytes("Host: aXc")[...]) == [
                Patch(offset: 6, removed: 3, inserted: Self.bytes("o"), reason: .fault)
            ])
    }

    @Test func `gives both sides back`() {
        for seed in 0..<20_000 as Range<UInt64> {
            var draws = Draws(state: seed)
            let problems = play(&draws)
            guard problems.isEmpty else {
                Issue.record("\(seed): \(problems)")
                return
            }
        }
    }

    /// Changes random bytes, divides what goes on of them and rewrites the parts.
    private func play(_ draws: inout Draws) -> [String] {
        let original = draws.bytes(24)
        var alteration =
            Bool.random(using: &draws)
            ? Alteration(of: original, by: draws.bytes(24))
            : Alteration(original[...], draws.patches(original.count, .fault))
        var problems: [String] = []
        if Bool.random(using: &draws) {
            let more = draws.bytes(8)
            alteration.append(Alteration(of: more, by: draws.bytes(8)))
            if Array(alteration.original) != original + more { problems.append("joined") }
        }
        let sent = Array(alteration.original)
        let forwarded = Patch.apply(alteration.patches, to: sent)
        guard !forwarded.isEmpty else { return problems }
        var originals: [UInt8] = []
        var position = 0
        while position < forwarded.count {
            let count = Int.random(in: 1...(forwarded.count - position), using: &draws)
            let bytes = forwarded[position..<position + count]
            let part = alteration.part(position..<position + count)
            originals += part.original
            if Patch.apply(part.patches, to: Array(part.original)) != Array(bytes) {
                problems.append("part \(position) is not what goes on")
            }
            problems += check(part, bytes, draws.patches(count, .host))
            position += count
        }
        return originals == sent ? problems : problems + ["the parts are not what was sent"]
    }

    private func check(
        _ part: Alteration, _ bytes: ArraySlice<UInt8>, _ rewrites: [Patch]
    ) -> [String] {
        var problems: [String] = []
        let own = Array(part.original)
        let all = part.composed(with: rewrites, of: bytes)
        if Patch.apply(all, to: own) != Patch.apply(rewrites, to: Array(bytes)) {
            problems.append("\(rewrites) of \(part) became \(all)")
        }
        var end = 0
        for patch in all {
            if patch.offset < end || patch.removed < 0 { problems.append("overlap in \(all)") }
            end = patch.offset + patch.removed
        }
        if end > own.count { problems.append("outside: \(all)") }
        if part.patches.isEmpty, all != rewrites { problems.append("others: \(all)") }
        // What its sender had differs by rewrites that were asked for, in their order, alone.
        var rest = rewrites[...]
        for patch in all where patch.reason.isRewrite {
            let wanted = rest.firstIndex {
                $0.removed == patch.removed && $0.inserted == patch.inserted
            }
            guard let wanted else {
                problems.append("\(patch) was not asked for")
                continue
            }
            rest = rest[(wanted + 1)...]
        }
        return problems
    }
}

/// Random numbers, bytes and patches.
private struct Draws: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func bytes(_ most: Int) -> [UInt8] {
        (0..<Int.random(in: 0...most, using: &self)).map { _ in .random(in: 97...99, using: &self) }
    }

    /// In bytes of this count, in ascending order and not overlapping.
    mutating func patches(_ count: Int, _ reason: Patch.Reason) -> [Patch] {
        var result: [Patch] = []
        var position = 0
        while position <= count, Int.random(in: 0..<4, using: &self) > 0 {
            let offset = Int.random(in: position...count, using: &self)
            let removed = Int.random(in: 0...min(4, count - offset), using: &self)
            result.append(
                Patch(offset: offset, removed: removed, inserted: bytes(4), reason: reason))
            position = offset + removed
        }
        return result
    }
}
