public import Capturing

/// What became of a capture: nothing that was seen is left out of the count.
public struct CaptureTotals: Hashable, Sendable {
    /// What became of TLS.
    public struct TLS: Hashable, Sendable {
        /// Connections that speak it.
        public var connections = 0
        /// Those whose data were decrypted.
        public var opened = 0
        /// Those that stayed sealed.
        public var sealed = 0

        /// None.
        public init() {}
    }

    /// Packets: seen, used, and ignored and why.
    public var packets: PacketCounts
    /// Connections and their bytes.
    public var streams: StreamCounts
    /// TLS on them.
    public var tls: TLS
    /// Lines of key logs that could not be used.
    public var keyMistakes: [KeyLog.Mistake] = []
}
