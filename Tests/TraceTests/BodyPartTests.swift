import Dissection
import Notation
import Testing
import Wire

@testable import Trace

/// Bodies are stored once, as the chunks in which they came.
@Suite struct BodyPartTests {
    private static let head = Array("HTTP/1.1 200 OK\r\n".utf8)

    /// A response with this content, of a known length or in transfer chunks.
    private static func response(
        _ content: [UInt8], isChunked: Bool, _ random: inout SplitMix64
    ) -> [UInt8] {
        guard isChunked else {
            return head + Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content
        }
        var bytes = head + Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
        var rest = content[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + Int(random.next() % 3_000))
            rest = rest.dropFirst(piece.count)
            bytes += Array((String(piece.count, radix: 16) + "\r\n").utf8) + piece + [13, 10]
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private static func content(_ random: inout SplitMix64) -> [UInt8] {
        let count = Int(random.next() % 20_000)
        let text = Array("zero\u{0}, ünïcode and \u{1F600} ".utf8)
        return random.next() % 2 == 0
            ? (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            : (0..<count).map { text[$0 % text.count] }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `what was sent is read again, however it was cut`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records)
        var contents: [[UInt8]] = []
        for number in 0..<20 {
            contents.append(Self.content(&random))
            let request = "GET /\(number) HTTP/1.1\r\nHost: example.org\r\n\r\n"
            var records = [traffic.chunk(opened, .client, Array(request.utf8))]
            let isChunked = random.next() % 2 == 0
            let bytes = Self.response(contents[number], isChunked: isChunked, &random)
            let longest = [40, 2_000, 50_000][Int(random.next() % 3)]
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + Int(random.next() % UInt64(longest)))
                rest = rest.dropFirst(piece.count)
                records.append(traffic.chunk(opened, .server, Array(piece)))
            }
            _ = writer.put(records)
        }
        writer.finish()
        let reader = try TraceReader(path: trace.path)
        let replay = try ReplayReader(path: trace.path)
        for (number, content) in contents.enumerated() {
            let id = ExchangeID(Int64(number + 1))
            let body = try #require(try reader.exchange(id)?.response)
            #expect(body.content == content)
            #expect(body.isText == (String(validating: content, as: UTF8.self) != nil))
            #expect(try replay.side(id, .server)?.content == content)
        }
        let stored = try trace.rows(
            "SELECT count(*) FROM http_body WHERE content_parts IS NOT NULL")
        #expect(stored != ["0"])
    }
}
