internal import Framing
internal import Simperium
internal import Wire

extension SecretWalk {
    /// The mark that a session gets when it is redacted.
    static let mark = "redacted"

    /// Scans the text of a row: prose that may quote bytes, whole or cut off.
    func statement(_ text: String) -> String {
        var bytes = Array(text.utf8)
        if bytes.contains(0x3C), bytes.contains(0x3E) {
            _ = xml(&bytes, 0..<bytes.count)
        } else {
            plain(&bytes, .value)
        }
        if isReplacing {
            let dots = Array("…".utf8)
            for index in bytes.indices
            where bytes[index] == dots[0] && bytes[index...].starts(with: dots) {
                store.replaceBeginning(in: &bytes, endingAt: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Scans the head of a message of HTTP, which may be cut off.
    func keptHead(_ bytes: inout [UInt8]) {
        guard let first = bytes.first, StartOfStream.isHTTP(first), let head = Self.head(bytes)
        else { return }
        bytes = self.head(head) + bytes[head.bytes.count...]
    }

    /// Scans bytes that no peer had: what a proxy has to take out, and what Tapedeck made and did not
    /// deliver.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - reason: Why they were taken out or put in; nil for those of a chunk that Tapedeck made.
    ///   - isSocket: Whether they may be frames of a WebSocket.
    func unseen(_ bytes: inout [UInt8], reason: Patch.Reason?, isSocket: Bool) {
        switch reason {
        case .fault where isSocket, .undelivered where isSocket, nil where isSocket:
            // Frames may be masked, compressed or both, and cannot be decoded any more.
            if isReplacing { bytes = [UInt8](repeating: 0, count: bytes.count) }
        case .requestTarget: url(&bytes, 0..<bytes.count)
        default:
            let start = Array("GET / HTTP/1.1\r\n".utf8)
            let lines = start + bytes + Array("\r\n\r\n".utf8)
            guard bytes.contains(0x3A), let head = Self.head(lines),
                head.bytes.count >= start.count + bytes.count
            else { return unknown(&bytes) }
            bytes = Array(self.head(head)[start.count..<start.count + bytes.count])
        }
    }

    private static func head(_ bytes: [UInt8]) -> HTTPHead? {
        let role: HTTPRole = bytes.starts(with: "HTTP/".utf8) ? .response : .request
        var framer = HTTPFramer(role: role)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        if case .head(let head, _)? = events.first, head.start == 0 { return head }
        return nil
    }
}
