internal import Framing

/// The head of a message as it is in a trace.
struct HARHead {
    private let head: HTTPHead?
    /// Its bytes, with the start line and the empty line.
    let size: Int64

    init(_ bytes: [UInt8], _ role: HTTPRole) {
        var framer = HTTPFramer(role: role)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        head =
            events.lazy.compactMap { event -> HTTPHead? in
                if case .head(let head, _) = event { head } else { nil }
            }.first
        size = Int64(bytes.count)
    }

    /// The version of the start line.
    var version: String { head?.version ?? "" }

    /// The fields in order; a line without a name is none.
    var fields: [(name: String, value: String)] {
        guard let head else { return [] }
        return head.fields.compactMap {
            $0.name.isEmpty ? nil : (head.text($0.name), head.text($0.value))
        }
    }

    /// The values of the fields called `name`.
    func values(_ name: String) -> [String] { head?.values(of: name) ?? [] }

    /// Whether it turns the connection into a WebSocket.
    var isWebSocket: Bool { head?.contains(token: "websocket", in: "upgrade") ?? false }

    /// The compression that it agrees on.
    var deflate: PerMessageDeflate? {
        PerMessageDeflate.negotiated(responseExtensions: values("sec-websocket-extensions"))
    }
}
