/// What a WebSocket message says.
public struct SocketMessage: Hashable, Sendable {
    /// Whether it is text; else it is binary.
    public var isText: Bool
    /// Its payload, unmasked and inflated.
    public var payload: [UInt8]

    /// A message with these values.
    public init(isText: Bool, payload: [UInt8]) {
        self.isText = isText
        self.payload = payload
    }

    /// What it is on one line.
    var line: String {
        guard isText else { return "binary, \(payload.count) bytes" }
        return "text \(OneLine.text(String(decoding: payload.prefix(400), as: UTF8.self)).quoted)"
    }
}
