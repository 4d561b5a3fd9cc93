import Framing
import Notation
import Testing

@testable import SyncServers

struct PolledRequestTests {
    private static let reads = [
        "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a HT", "TP/1.1\r\nHost: x\r\n\r\n", "\r\nGET /a HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 29\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost : x\r\nContent-Length: 1, 2\r\n\r\n",
    ]

    /// What a framer makes of reads, as texts: whole heads and contents, and errors with their places.
    private struct Framed {
        var framer = HTTPFramer(role: .request)
        var texts: [String] = []
        var last: LiveRequest?

        mutating func frame(_ bytes: [UInt8]) {
            var events: [HTTPEvent] = []
            _ = framer.consume(bytes.span, into: &events)
            for event in events {
                switch event {
                case .head(let head, _):
                    texts.append(String(decoding: head.bytes, as: UTF8.self))
                    if let target = try? head.parsedTarget() {
                        last = LiveRequest(head, target, proxied: nil, isSecure: false)
                    }
                case .content(let range):
                    texts.append(String(decoding: bytes[range], as: UTF8.self))
                case .failure(let error): texts.append("\(error)")
                case .end, .trailers, .note, .opaque: break
                }
            }
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `what is not framed again is the same, and so is what follows`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var plain = Framed()
        var framed = Framed()
        var polled = PolledRequest()
        for _ in 0..<12 {
            let read = try #require(Self.reads.randomElement(using: &random))
            let bytes = Array(read.utf8)
            plain.frame(bytes)
            let isNew = framed.framer.isLikeNew
            if isNew, let request = bytes.withUnsafeBytes({ polled.again($0) }) {
                framed.texts.append(String(decoding: request.head.bytes, as: UTF8.self))
            } else {
                polled.catchUp(&framed.framer)
                framed.frame(bytes)
                if isNew, framed.framer.isLikeNew { polled.note(bytes, framed.last) }
            }
        }
        #expect(framed.texts == plain.texts)
    }

    @Test func `a request that comes again is not framed`() {
        var framed = Framed()
        var polled = PolledRequest()
        let bytes = Array(Self.reads[0].utf8)
        framed.frame(bytes)
        let before = bytes.withUnsafeBytes { polled.again($0) }
        polled.note(bytes, framed.last)
        let request = bytes.withUnsafeBytes { polled.again($0) }
        #expect(before == nil && request != nil && request === framed.last)
        polled.catchUp(&framed.framer)
        #expect(framed.framer.streamOffset == Int64(2 * bytes.count))
        let other = Array(Self.reads[3].utf8).withUnsafeBytes { polled.again($0) }
        #expect(other == nil)
    }
}
