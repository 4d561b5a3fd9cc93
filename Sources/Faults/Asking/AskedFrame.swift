import Framing
import Wire

/// How the text of a held message of a WebSocket stands in its frames.
public struct AskedFrame: Hashable, Sendable {
    let opcode: WebSocketOpcode
    let sender: Peer
    let mask: UInt32?
    /// How many frames it has.
    let frames: Int
    /// Whether the text is a string within a SockJS frame.
    var isWithin = false
    /// What is before it there.
    var before: [UInt8] = []
    /// What is behind it there.
    var behind: [UInt8] = []

    /// The number of its frames, which wait one after the other.
    public var frameCount: Int { frames }

    /// The frame with another text.
    public func bytes(_ text: [UInt8]) -> [UInt8] {
        var payload = text
        if isWithin {
            let string = SockJSFrame.encode(client: [text]).dropFirst().dropLast()
            payload = before + Array(string) + behind
        }
        return WebSocketFrameEncoder.encode(
            opcode: opcode, payload: payload, mask: sender == .client ? mask ?? 0 : nil)
    }
}
