public import Capturing

/// The outcome of a capture: nothing that was seen is left out of the count.
public struct CaptureTotals: Hashable, Sendable {
    /// The outcome of TLS.
    public struct TLS: Hashable, Sendable {
        /// Connections that use it.
        public var connections = 0
        /// Those whose data were decrypted.
        public var decrypted = 0
        /// Those that stayed encrypted.
        public var encrypted = 0

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
