/// One TCP segment as found in a packet.
public struct TCPSegment: Hashable, Sendable {
    /// The control bits (RFC 9293, 3.1).
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The bits as in the header.
        public let rawValue: UInt8
        /// These bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// FIN: the sender will send no more.
        public static let fin = Flags(rawValue: 1)
        /// The sender begins.
        public static let syn = Flags(rawValue: 2)
        /// RST: the connection is reset.
        public static let rst = Flags(rawValue: 4)
        /// PSH: the sender requests delivery at once.
        public static let psh = Flags(rawValue: 8)
        /// ``TCPSegment/acknowledgment`` means something.
        public static let ack = Flags(rawValue: 16)
    }

    /// Who sent it.
    public var source: Endpoint
    /// The receiver.
    public var destination: Endpoint
    /// Sequence number of the first byte of the payload, or of the SYN.
    public var sequence: UInt32
    /// The next sequence number that the sender expects.
    public var acknowledgment: UInt32
    /// The control bits.
    public var flags: Flags
    /// The payload as far as it was captured.
    ///
    /// A part of the read buffer; to keep it, copy it.
    public var payload: ArraySlice<UInt8>
    /// Bytes of payload that were on the wire behind ``payload`` and were not captured.
    public var cutOff: Int
    /// When it was captured, in nanoseconds since 1970 UTC.
    public var atUnixNanoseconds: Int64

    /// A segment with these values.
    public init(
        source: Endpoint, destination: Endpoint, sequence: UInt32, acknowledgment: UInt32 = 0,
        flags: Flags = [], payload: ArraySlice<UInt8> = [], cutOff: Int = 0,
        atUnixNanoseconds: Int64
    ) {
        self.source = source
        self.destination = destination
        self.sequence = sequence
        self.acknowledgment = acknowledgment
        self.flags = flags
        self.payload = payload
        self.cutOff = cutOff
        self.atUnixNanoseconds = atUnixNanoseconds
    }
}
