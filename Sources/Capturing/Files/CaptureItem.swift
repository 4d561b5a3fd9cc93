/// What a capture holds, before packets are inspected.
public enum CaptureItem: Hashable, Sendable {
    /// A packet; its bytes are a part of what was read at once.
    case packet(CapturedPacket)
    /// A packet of an interface that the file does not describe.
    case strayPacket
    /// The text of a TLS key log.
    case secrets([UInt8])
}
