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

    /// Scans what a fault took or sent: a message or bytes of HTTP, perhaps cut off.
    ///
    /// - Parameters:
    ///   - bytes: What it kept.
    ///   - sender: Its sender; nil where that is unknown.
    ///   - connection: Where.
    func evidence(_ bytes: inout [UInt8], from sender: Peer?, over connection: Int64?) {
        guard !bytes.isEmpty else { return }
        let size = bytes.count
        if StartOfStream.isHTTP(bytes[0]), let head = Self.head(bytes) {
            var rest = Array(bytes[head.bytes.count...])
            content(&rest, type: head.value(of: "content-type"))
            bytes = self.head(head) + rest
        } else {
            var socket = connection.flatMap { sockets[$0] } ?? SocketFacts(path: "")
            // A rule that was about one command keeps it without the SockJS frame around it.
            if SimperiumCommand.looksLikeSimperium(bytes) {
                command(&bytes, from: sender ?? .client, in: &socket)
            } else {
                message(&bytes, opcode: 1, from: sender ?? .client, in: &socket)
            }
        }
        guard isReplacing, size >= FaultRow.maximumKept else { return }
        store.replaceBeginning(in: &bytes, endingAt: bytes.count)
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
