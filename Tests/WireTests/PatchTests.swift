import Notation
import Testing
import Wire

struct PatchTests {
    private let bytes = Array("GET http://a/b HTTP/1.1".utf8)

    private func patch(_ offset: Int, _ removed: Int, _ inserted: String) -> Patch {
        Patch(offset: offset, removed: removed, inserted: Array(inserted.utf8), reason: .host)
    }

    @Test func `no patch leaves the bytes as they are`() {
        #expect(Patch.apply([], to: bytes) == bytes)
    }

    @Test func `takes out, puts in and replaces, from left to right`() {
        let patches = [patch(4, 8, ""), patch(14, 0, "?c"), patch(20, 3, "1.0")]
        #expect(
            String(decoding: Patch.apply(patches, to: bytes), as: UTF8.self)
                == "GET /b?c HTTP/1.0")
    }

    @Test func `applies at both ends`() {
        #expect(Patch.apply([patch(0, 0, "<"), patch(23, 0, ">")], to: bytes).count == 25)
        #expect(Patch.apply([patch(0, 23, "")], to: bytes).isEmpty)
    }

    @Test(arguments: [(-1, 0), (0, -1), (24, 0), (20, 4), (0, 24), (Int.max, 1), (1, Int.max)])
    func `leaves out a patch outside of the bytes`(offset: Int, removed: Int) {
        #expect(Patch.apply([patch(offset, removed, "x")], to: bytes) == bytes)
    }

    @Test func `leaves out a patch that overlaps the one before`() {
        let once = Patch.apply([patch(2, 4, "x")], to: bytes)
        #expect(
            Patch.apply([patch(2, 4, "x"), patch(5, 1, "y"), patch(1, 0, "z")], to: bytes) == once)
        #expect(
            Patch.apply([patch(2, 4, "x"), patch(6, 0, "y")], to: bytes).count == once.count + 1)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `equals replacing from the right`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = (0..<Int.random(in: 0...40, using: &random)).map { UInt8($0) }
        var patches: [Patch] = []
        var expected = bytes
        var start = 0
        while start < bytes.count, Bool.random(using: &random) {
            let offset = Int.random(in: start...bytes.count, using: &random)
            let removed = Int.random(in: 0...(bytes.count - offset), using: &random)
            let inserted = [UInt8](repeating: 0xEE, count: Int.random(in: 0...5, using: &random))
            patches.append(
                Patch(offset: offset, removed: removed, inserted: inserted, reason: .fault))
            start = offset + removed
        }
        for patch in patches.reversed() {
            expected.replaceSubrange(
                patch.offset..<patch.offset + patch.removed, with: patch.inserted)
        }
        #expect(Patch.apply(patches, to: bytes) == expected)
    }

    @Test func `the reasons have stable names`() {
        #expect(
            Patch.Reason.allCases.map(\.rawValue) == [
                "request-target", "host", "origin", "location", "hop-by-hop", "alt-svc", "fault",
                "undelivered",
            ])
    }
}
