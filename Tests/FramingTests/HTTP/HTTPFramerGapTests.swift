import Framing
import Notation
import Testing

@Suite("A framer passes over missing bytes as if it had seen them") struct HTTPFramerGapTests {
    private struct Outcome: Equatable {
        var events: [String] = []
        var content = 0

        mutating func add(_ list: [HTTPEvent], at base: Int) {
            for event in list {
                switch event {
                case .content(let range), .opaque(let range): content += range.count
                case .end(let at): events.append("end \(base + at)")
                case .head(let head, _): events.append("head \(head.start) \(head.bytes)")
                case .trailers(let bytes, _): events.append("trailers \(bytes)")
                case .note(let note, let offset): events.append("note \(note) \(offset)")
                case .failure(let error): events.append("failure \(error)")
                }
            }
        }
    }

    /// Feeds a sample up to `start`, passes over up to `count` bytes, and feeds the rest.
    private func play(_ sample: HTTPSample, start: Int, count: Int64) -> (Outcome, skipped: Int) {
        var framer = HTTPFramer(role: sample.role, limits: sample.limits)
        for kind in sample.expecting { framer.expect(kind) }
        var outcome = Outcome()
        func feed(_ range: Range<Int>) {
            var position = range.lowerBound
            while position < range.upperBound {
                var events: [HTTPEvent] = []
                let taken = framer.consume(
                    sample.bytes.span.extracting(position..<range.upperBound), into: &events)
                outcome.add(events, at: position)
                position += taken
                if framer.isPaused { framer.resume(sample.resumption) }
            }
        }
        feed(0..<start)
        var events: [HTTPEvent] = []
        let skipped = Int(framer.skip(count, into: &events))
        outcome.add(events, at: start + skipped)
        outcome.content += skipped
        if framer.isPaused { framer.resume(sample.resumption) }
        feed(min(sample.bytes.count, start + skipped)..<sample.bytes.count)
        events = []
        framer.endOfStream(into: &events)
        outcome.add(events, at: sample.bytes.count)
        return (outcome, skipped)
    }

    @Test(arguments: HTTPCorpus.all) func `in any sample`(sample: HTTPSample) {
        var random = SplitMix64(seed: UInt64(sample.bytes.count))
        let (whole, none) = play(sample, start: 0, count: 0)
        #expect(none == 0)
        for _ in 0..<20 {
            let start = Int.random(in: 0...sample.bytes.count, using: &random)
            let count = Int.random(in: 0...(sample.bytes.count - start), using: &random)
            let (outcome, skipped) = play(sample, start: start, count: Int64(count))
            #expect(skipped <= count)
            #expect(outcome == whole, "\(start), \(skipped) of \(count)")
        }
    }

    @Test(arguments: HTTPCorpus.all) func `tells of nothing before what is pending`(
        sample: HTTPSample
    ) {
        var framer = HTTPFramer(role: sample.role, limits: sample.limits)
        for kind in sample.expecting { framer.expect(kind) }
        for index in sample.bytes.indices {
            let pending = framer.pendingOffset
            var events: [HTTPEvent] = []
            _ = framer.consume(sample.bytes.span.extracting(index...index), into: &events)
            for event in events {
                switch event {
                case .head(let head, _): #expect(head.start >= pending)
                case .note(_, let offset): #expect(offset >= pending)
                default: break
                }
            }
            if framer.isPaused { framer.resume(sample.resumption) }
        }
    }

    @Test(arguments: [1, 7, 1_000]) func `finds no head that is longer than may be`(step: Int) {
        let bytes = Array("HTTP/1.1 200 \(String(repeating: "a", count: 90))\r\nA: b\r\n\r\n".utf8)
        var framer = HTTPFramer(role: .response, limits: HTTPLimits(maxHeadBytes: 80))
        framer.lose(5)
        var failures: [HTTPFramingError] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            var events: [HTTPEvent] = []
            let end = min(start + step, bytes.count)
            #expect(
                framer.consume(bytes.span.extracting(start..<end), into: &events) == end - start)
            for case .failure(let error) in events { failures.append(error) }
        }
        #expect(failures == [.headTooLong(limit: 80, offset: 85)])
    }

    @Test func `passes over no more than certainly is content`() {
        var framer = HTTPFramer(role: .response)
        var events: [HTTPEvent] = []
        #expect(framer.skip(5, into: &events) == 0)
        _ = framer.consume(
            Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab".utf8).span, into: &events)
        #expect(framer.skip(100, into: &events) == 7)
        #expect(events.last == .end(at: 0))
        #expect(framer.skip(93, into: &events) == 0)
        _ = framer.consume(
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na".utf8).span,
            into: &events)
        #expect(framer.skip(5, into: &events) == 0)
        #expect(framer.skip(4, into: &events) == 4)
        #expect(framer.skip(1, into: &events) == 0)
        _ = framer.consume(Array("\r\n0\r\n\r\n".utf8).span, into: &events)
        #expect(events.last == .end(at: 7))
    }

    /// Garbage, what is found behind it, and at which offset; in any cuts.
    @Test(arguments: [
        (HTTPRole.request, "abc", "GET / HTTP/1.1\r\nHost: o\r\n\r\n", 3),
        (.request, "HTTP/1.1\r\nHost: a\r\n\r\n", "FOO /x HTTP/1.0\r\n\r\n", 21),
        (.request, "OST /lost HTTP/1.1\r\nHost: o\r\n\r\n", "PUT /x HTTP/1.1\r\nA: b\r\n\r\n", 31),
        (.request, "GET /said HTTP/1.1\r\n, he said\r\n", "PUT /x HTTP/1.1\r\nA: b\r\n\r\n", 31),
        (.request, "}\n\nGET /bare HTTP/1.1\nHost: o\n\n", "DELETE * HTTP/1.1\r\nA:\r\n\r\n", 31),
        (.response, "1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 404 Not Found\r\nA: b\r\n\r\n", 18),
        (.response, "{}HTTP/1.1 99 x\r\na: b\r\n", "HTTP/1.0 200\r\n\r\n", 23),
    ])
    func `finds the next start line`(role: HTTPRole, garbage: String, head: String, offset: Int64) {
        let bytes = Array((garbage + head).utf8)
        for size in [1, 2, 7, 1000] {
            var framer = HTTPFramer(role: role)
            framer.lose(0)
            #expect(framer.isSearching)
            var heads: [HTTPHead] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                var events: [HTTPEvent] = []
                let piece = bytes.span.extracting(start..<min(bytes.count, start + size))
                let taken = framer.consume(piece, into: &events)
                #expect(taken == piece.count)
                for case .head(let head, _) in events { heads.append(head) }
            }
            #expect(heads.map(\.start) == [offset])
            #expect(heads.first.map { String(decoding: $0.bytes, as: UTF8.self) } == head)
        }
    }

    @Test func `finds a start line behind long lines, and none that is too long`() {
        for (count, isFound) in [(10, true), (16_300, true), (17_000, false)] {
            var framer = HTTPFramer(role: .request)
            framer.lose(Int64.max)
            let target = String(repeating: "a", count: count)
            let bytes =
                [UInt8](repeating: 0x61, count: 100_000)
                + Array("\nPOST /\(target) HTTP/1.1\r\nHost: o\r\n\r\n".utf8)
            var found = 0
            for start in stride(from: 0, to: bytes.count, by: 333) {
                var events: [HTTPEvent] = []
                let piece = bytes.span.extracting(start..<min(bytes.count, start + 333))
                _ = framer.consume(piece, into: &events)
                for case .head in events { found += 1 }
            }
            #expect(found == (isFound ? 1 : 0), "\(count)")
        }
    }
}
