import Framing
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Notation
import Testing

/// Compares the framer with llhttp, as NIOHTTP1 has it, on messages that are well-formed.
@Suite struct HTTPDifferentialTests {
    /// A message as both see it; NIOHTTP1 does not keep reason phrases.
    struct Message: Equatable {
        var start: String
        var fields: [String]
        var content: [UInt8] = []
        var trailers: [String] = []
        var isComplete = false
    }

    /// Samples of the corpus that NIOHTTP1 takes to their end.
    static let plain = (HTTPCorpus.plainRequests + HTTPCorpus.plainResponses).filter {
        !["connect", "upgrade", "switching", "above ascii", "long reason"]
            .contains(where: $0.name.contains)
    }

    @Test(arguments: plain)
    func `reads samples as llhttp does`(sample: HTTPSample) throws {
        try compare(sample, seed: 0)
    }

    @Test(arguments: 0..<300)
    func `reads generated messages as llhttp does`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try compare(HTTPGeneration.make(using: &random), seed: seed)
    }

    /// A field without the whitespace around its value, which NIOHTTP1 leaves at the end.
    fileprivate static func line(_ name: Substring, _ value: Substring) -> String {
        var value = value.drop { $0 == " " || $0 == "\t" }
        while let last = value.last, last == " " || last == "\t" { value = value.dropLast() }
        return "\(name): \(value)"
    }

    private func compare(_ sample: HTTPSample, seed: UInt64) throws {
        let cuts = HTTPSample.cuts(of: sample.bytes.count, seed: seed)
        let expected = try llhttp(sample, cuts: [sample.bytes.count])
        let expectedCut = try llhttp(sample, cuts: cuts)
        #expect(!expected.isEmpty)
        #expect(expected.allSatisfy { $0.isComplete })
        #expect(expectedCut == expected)
        let whole = framer(sample, cuts: [sample.bytes.count])
        #expect(whole == expected)
        let cut = framer(sample, cuts: cuts)
        #expect(cut == expected)
    }

    private func framer(_ sample: HTTPSample, cuts: [Int]) -> [Message] {
        var framer = HTTPFramer(role: sample.role)
        for kind in sample.expecting { framer.expect(kind) }
        var messages: [Message] = []
        var events: [HTTPEvent] = []
        func handle(_ portion: borrowing Span<UInt8>) {
            for event in events {
                switch event {
                case .head(let head, _):
                    let parts =
                        sample.role == .request
                        ? [head.method, head.target, head.version]
                        : [head.version, head.status.map(String.init) ?? ""]
                    messages.append(
                        Message(
                            start: parts.joined(separator: " "),
                            fields: head.fields.map {
                                "\(head.text($0.name)): \(head.text($0.value))"
                            }))
                case .content(let range):
                    for index in range {
                        messages[messages.count - 1].content.append(portion[index])
                    }
                case .trailers(let bytes, _):
                    messages[messages.count - 1].trailers = bytes.split(separator: 0x0A).map {
                        let pieces = String(decoding: $0.dropLast(), as: UTF8.self)
                            .split(
                                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                        return Self.line(pieces[0], pieces[1])
                    }
                case .end:
                    messages[messages.count - 1].isComplete = true
                case .note, .failure, .opaque:
                    Issue.record("\(event)")
                }
            }
            events = []
        }
        var start = 0
        for length in cuts {
            let portion = sample.bytes.span.extracting(start..<start + length)
            let taken = framer.consume(portion, into: &events)
            #expect(taken == length)
            handle(portion)
            start += length
        }
        framer.endOfStream(into: &events)
        handle([UInt8]().span)
        return messages
    }

    private func llhttp(_ sample: HTTPSample, cuts: [Int]) throws -> [Message] {
        let channel = EmbeddedChannel()
        let operations = channel.pipeline.syncOperations
        switch sample.role {
        case .request:
            let collector = MessageCollector<HTTPRequestHead>()
            try operations.addHandlers([
                ByteToMessageHandler(HTTPRequestDecoder()), collector,
            ])
            try feed(sample, cuts, to: channel)
            return collector.messages
        case .response:
            let collector = MessageCollector<HTTPResponseHead>()
            let decoder = HTTPResponseDecoder(informationalResponseStrategy: .forward)
            try operations.addHandlers([ByteToMessageHandler(decoder), collector])
            // The decoder must see as many requests as there are responses.
            let kinds = sample.expecting + [HTTPRequestKind](repeating: .other, count: 20)
            for kind in kinds {
                let head = HTTPRequestHead(
                    version: .http1_1, method: kind == .head ? .HEAD : .GET, uri: "/")
                try channel.writeOutbound(HTTPClientRequestPart.head(head))
            }
            try feed(sample, cuts, to: channel)
            return collector.messages
        }
    }

    private func feed(_ sample: HTTPSample, _ cuts: [Int], to channel: EmbeddedChannel) throws {
        var start = 0
        for length in cuts {
            try channel.writeInbound(ByteBuffer(bytes: sample.bytes[start..<start + length]))
            start += length
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}

/// A head as NIOHTTP1 gives it.
private protocol MessageHead: Equatable {
    var start: String { get }
    var headers: HTTPHeaders { get }
    /// Whether it is of an interim response, which NIOHTTP1 gives no end.
    var isInterim: Bool { get }
}

extension HTTPRequestHead: MessageHead {
    fileprivate var start: String { "\(method.rawValue) \(uri) \(version)" }
    fileprivate var isInterim: Bool { false }
}

extension HTTPResponseHead: MessageHead {
    fileprivate var start: String { "\(version) \(status.code)" }
    fileprivate var isInterim: Bool { (100..<200).contains(status.code) }
}

/// Puts messages together from their parts.
private final class MessageCollector<Head: MessageHead>: ChannelInboundHandler {
    typealias InboundIn = HTTPPart<Head, ByteBuffer>

    var messages: [HTTPDifferentialTests.Message] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            messages.append(
                HTTPDifferentialTests.Message(
                    start: head.start, fields: Self.lines(head.headers),
                    isComplete: head.isInterim))
        case .body(let buffer):
            messages[messages.count - 1].content += buffer.readableBytesView
        case .end(let trailers):
            messages[messages.count - 1].trailers = Self.lines(trailers ?? HTTPHeaders())
            messages[messages.count - 1].isComplete = true
        }
    }

    private static func lines(_ headers: HTTPHeaders) -> [String] {
        headers.map { HTTPDifferentialTests.line($0.name[...], $0.value[...]) }
    }
}
