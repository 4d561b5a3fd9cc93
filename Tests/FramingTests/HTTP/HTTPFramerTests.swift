import Framing
import Notation
import Testing

@Suite struct HTTPFramerTests {
    @Test func `has a transcript for each sample and no other`() {
        #expect(Set(HTTPCorpus.all.map(HTTPTranscripts.key)) == Set(HTTPTranscripts.all.keys))
        #expect(HTTPCorpus.all.count == HTTPTranscripts.all.count)
    }

    @Test(arguments: HTTPCorpus.all)
    func `frames a sample as its transcript says`(sample: HTTPSample) {
        #expect(HTTPTranscript.make(sample) == HTTPTranscripts.all[HTTPTranscripts.key(sample)])
    }

    @Test(arguments: HTTPCorpus.all)
    func `frames a sample the same however it is cut`(sample: HTTPSample) {
        let whole = HTTPTranscript.make(sample)
        let single = HTTPTranscript.make(sample, cuts: sample.bytes.map { _ in 1 })
        #expect(single == whole)
        for seed in 0..<100 {
            let cuts = HTTPSample.cuts(of: sample.bytes.count, seed: UInt64(seed))
            #expect(HTTPTranscript.make(sample, cuts: cuts) == whole, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<600)
    func `frames broken bytes the same however they are cut`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sample = HTTPMutation.make(using: &random)
        let whole = HTTPTranscript.make(sample)
        #expect(HTTPTranscript.make(sample, cuts: sample.bytes.map { _ in 1 }) == whole)
        let cuts = HTTPSample.cuts(of: sample.bytes.count, seed: seed)
        #expect(HTTPTranscript.make(sample, cuts: cuts) == whole)
    }

    @Test func `knows each kind of note`() {
        var seen: Set<String> = []
        for line in HTTPTranscripts.all.values.joined() where line.hasPrefix("note ") {
            seen.insert(String(line.split(separator: " ")[1]))
        }
        #expect(seen == Set(HTTPNote.allCases.map(\.rawValue)))
    }

    @Test func `takes nothing in a pause, and everything behind it`() {
        var framer = HTTPFramer(role: .request)
        var events: [HTTPEvent] = []
        let head = Array("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n".utf8)
        let bytes = head + Array("more".utf8)
        #expect(framer.isBetweenMessages)
        #expect(framer.consume(bytes.span, into: &events) == head.count)
        #expect(framer.isPaused)
        #expect(framer.isBetweenMessages)
        #expect(framer.streamOffset == Int64(head.count))
        events = []
        #expect(framer.consume(bytes.span, into: &events) == 0)
        #expect(events.isEmpty)
        framer.resume(.tunnel)
        #expect(!framer.isPaused)
        #expect(framer.isOpaque)
        #expect(framer.consume(bytes.span, into: &events) == bytes.count)
        #expect(events == [.opaque(0..<bytes.count)])
    }

    @Test func `heeds a tunnel within a message, and http only in a pause`() {
        var framer = HTTPFramer(role: .request)
        var events: [HTTPEvent] = []
        let bytes = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc".utf8)
        _ = framer.consume(bytes.span, into: &events)
        #expect(!framer.isBetweenMessages)
        framer.resume(.http)
        events = []
        _ = framer.consume([0x41, 0x42].span, into: &events)
        #expect(events == [.content(0..<2)])
        framer.resume(.tunnel)
        events = []
        _ = framer.consume([0x41, 0x42].span, into: &events)
        framer.endOfStream(into: &events)
        #expect(events == [.opaque(0..<2)])
    }

    @Test func `emits content as whole runs`() {
        var framer = HTTPFramer(role: .response)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".utf8)
        let bytes = head + [UInt8](repeating: 0x0A, count: 100_000)
        var events: [HTTPEvent] = []
        #expect(framer.consume(bytes.span, into: &events) == bytes.count)
        #expect(
            events.dropFirst() == [.content(head.count..<bytes.count), .end(at: bytes.count)])
    }

    @Test func `answers many requests in order`() {
        var framer = HTTPFramer(role: .response)
        var random = SplitMix64(seed: 1)
        for round in 0..<300 {
            let kinds = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Bool.random(using: &random) ? HTTPRequestKind.head : .other
            }
            for kind in kinds { framer.expect(kind) }
            for kind in kinds {
                var events: [HTTPEvent] = []
                let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
                _ = framer.consume(
                    Array((kind == .head ? text : text + "x").utf8).span, into: &events)
                #expect(events.count == (kind == .head ? 2 : 3), "round \(round)")
                #expect(framer.isBetweenMessages)
            }
        }
    }

    @Test(arguments: [(2, true), (1, false)])
    func `takes as many fields as it may`(most: Int, isTaken: Bool) {
        var framer = HTTPFramer(role: .request, limits: HTTPLimits(maxFields: most))
        var events: [HTTPEvent] = []
        _ = framer.consume(
            Array("GET / HTTP/1.1\r\nHost: a\r\nB: c\r\n\r\n".utf8).span, into: &events)
        #expect(framer.isOpaque == !isTaken)
    }

    @Test func `reads on in a chunk extension behind a bare carriage return`() {
        var framer = HTTPFramer(role: .request)
        var events: [HTTPEvent] = []
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        _ = framer.consume(Array((head + "1;a\rbc\nx\r\n0\r\n\r\n").utf8).span, into: &events)
        let notes = events.compactMap { if case .note(let note, _) = $0 { note } else { nil } }
        #expect(notes == [.bareCarriageReturn, .bareLineFeed])
        #expect(framer.isBetweenMessages)
    }

    @Test func `looks for what comes next behind a response to nobody knows what`() {
        var framer = HTTPFramer(role: .response)
        framer.expectOnly([.head], otherwise: .unknown)
        var events: [HTTPEvent] = []
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n".utf8)
        _ = framer.consume(head.span, into: &events)
        #expect(framer.isBetweenMessages)
        _ = framer.consume(head.span, into: &events)
        #expect(framer.isSearching)
    }

    @Test func `is silent after the end`() {
        var framer = HTTPFramer(role: .response)
        var events: [HTTPEvent] = []
        framer.endOfStream(into: &events)
        #expect(events.isEmpty)
        #expect(framer.consume([0x48].span, into: &events) == 1)
        framer.endOfStream(into: &events)
        #expect(events == [.opaque(0..<1)])
    }

    @Test func `describes each failure with its offset`() {
        let errors: [HTTPFramingError] = [
            .startLine(offset: 77), .headTooLong(limit: 1, offset: 77),
            .tooManyFields(limit: 1, offset: 77), .contentLength(offset: 77),
            .contentLengthOverflow(offset: 77), .chunkSize(offset: 77),
            .chunkSizeOverflow(offset: 77), .chunkLineTooLong(limit: 1, offset: 77),
            .chunkEnd(offset: 77), .trailersTooLong(limit: 1, offset: 77),
            .cutInHead(offset: 77), .cutInContent(missing: 3, offset: 77),
            .cutInChunks(offset: 77),
        ]
        for error in errors {
            #expect(error.offset == 77)
            #expect(error.description.contains("byte 77"))
        }
    }
}
