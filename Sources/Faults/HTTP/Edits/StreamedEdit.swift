import Filters
import Framing

/// Replacements in a body that goes on while it comes, since it is too large to be held.
struct StreamedEdit {
    /// How the body is framed afterwards.
    private enum Framing {
        case chunked
        /// Up to the end of the connection.
        case connection
    }

    /// The maximum number of bytes that a match may have.
    static let maximumMatch = 64 << 10

    private let framing: Framing
    private var streams: [RegexReplacementStream] = []

    /// The framing of a response that is streamed; nil where it cannot be.
    ///
    /// - Parameters:
    ///   - head: The head of the response, without content coding.
    ///   - isOld: Whether the client uses HTTP/1.0, which has no chunks.
    init?(_ head: HTTPHead, isOld: Bool) {
        let status = head.status ?? 0
        guard status >= 200, status != 204, status != 304, head.first("content-encoding") == nil,
            head.first("trailer") == nil
        else { return nil }
        if head.contains(token: "chunked", in: "transfer-encoding") {
            framing = .chunked
        } else if head.first("content-length") == nil {
            framing = .connection
        } else {
            guard !isOld else { return nil }
            framing = .chunked
        }
    }

    /// Adds an edit, which sees what those before it made.
    ///
    /// - Returns: Whether it can be done while the body comes.
    mutating func add(_ action: FaultAction) -> Bool {
        guard case .replace(_, let replacement)? = try? ContentEdit(action),
            let longest = replacement.longestMatch, longest <= Self.maximumMatch
        else { return false }
        streams.append(RegexReplacementStream(replacement))
        return true
    }

    /// Whether there are edits.
    var isEmpty: Bool { streams.isEmpty }

    /// Changes a head so that it goes with the body.
    func frame(_ head: inout EditableHead) {
        guard framing == .chunked else { return }
        _ = head.remove("content-length")
        head.set("Transfer-Encoding", "chunked")
    }

    /// The bytes for content that came.
    mutating func take(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = Array(content)
        for index in streams.indices { bytes = streams[index].take(bytes) }
        return framed(bytes)
    }

    /// The bytes at the end of the body; without a last chunk where it is cut off.
    mutating func finish(isCut: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in streams.indices {
            bytes = streams[index].take(bytes)
            bytes += streams[index].finish()
        }
        return framed(bytes) + (framing == .chunked && !isCut ? Array("0\r\n\r\n".utf8) : [])
    }

    private func framed(_ bytes: [UInt8]) -> [UInt8] {
        guard framing == .chunked, !bytes.isEmpty else { return bytes }
        return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A]
    }
}
