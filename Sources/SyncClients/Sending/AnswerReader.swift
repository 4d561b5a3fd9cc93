public import Framing

/// The answer of a server to one request.
public struct SentAnswer: Hashable, Sendable {
    /// Its head.
    public var head: HTTPHead
    /// Its content without transfer coding.
    public var content: [UInt8] = []
    /// Why it is not complete, or longer than what is kept; nil where it is whole.
    public var problem: String?
    /// From the first byte that was sent to the first of the answer.
    public var firstByteNanoseconds: Int64 = 0
    /// From there to its end.
    public var nanoseconds: Int64 = 0
}

extension SentAnswer {
    /// The content without content coding; nil where it cannot be decoded.
    public var decoded: [UInt8]? {
        let names = head.values(of: "content-encoding").joined(separator: ", ")
        guard !names.isEmpty else { return content }
        var result: [UInt8] = []
        do throws(ContentCodingError) {
            let decoder = try ContentDecoder(codings: names)
            try decoder.decode(content.span) { part in
                guard result.count <= AnswerReader.longest else { return }
                part.withUnsafeBufferPointer { result.append(contentsOf: $0) }
            }
            try decoder.finish()
        } catch {
            return nil
        }
        return result.count <= AnswerReader.longest ? result : nil
    }
}

/// Reads the answer to one request; interim responses are passed over.
///
/// A value without a socket. How the stream is cut into calls makes no difference.
struct AnswerReader {
    /// How far it came.
    enum Progress: Hashable {
        /// There is more to come.
        case more
        /// It is whole, or ends here.
        case done(SentAnswer)
        /// There is none.
        case failed(String)
    }

    /// The maximum number of bytes of content that are kept.
    static let longest = 64 << 20

    private var framer = HTTPFramer(role: .response)
    private var answer: SentAnswer?

    /// A reader of the answer to a request.
    init(method: String) {
        framer.expect(method == "HEAD" ? .head : .other)
    }

    /// Processes the next bytes.
    mutating func consume(_ bytes: [UInt8]) -> Progress {
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        return take(events, bytes)
    }

    /// Notes the end of the stream.
    ///
    /// - Parameter reason: Why it ended.
    /// - Returns: What came of it.
    mutating func endOfStream(_ reason: String) -> Progress {
        var events: [HTTPEvent] = []
        framer.endOfStream(into: &events)
        guard var answer else { return .failed(reason) }
        if !events.contains(.end(at: 0)) { answer.problem = "it is incomplete: \(reason)" }
        return .done(answer)
    }

    private mutating func take(_ events: [HTTPEvent], _ bytes: [UInt8]) -> Progress {
        for event in events {
            switch event {
            case .head(let head, _):
                let status = head.status ?? 0
                if status >= 200 || status == 101 { answer = SentAnswer(head: head) }
            case .content(let range):
                answer?.content += bytes[range]
                guard var answer, answer.content.count > Self.longest else { continue }
                answer.problem = "only its first \(Self.longest >> 20) MiB were read"
                return .done(answer)
            case .end: if let answer { return .done(answer) }
            case .failure(let error):
                guard var answer else {
                    return .failed("what the server sends is no answer of HTTP: \(error)")
                }
                answer.problem = "it cannot be framed: \(error)"
                return .done(answer)
            case .trailers, .note, .opaque: continue
            }
        }
        return .more
    }
}
