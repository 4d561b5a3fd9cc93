/// Detects the protocol of a stream by its first byte.
///
/// One byte is enough to distinguish the protocols that Tapedeck decodes, and using no more makes
/// the result independent of how the bytes were divided. The proxy and the dissector use the same
/// function, so that both see the same layers.
public enum StartOfStream {
    /// Whether a client that sends `byte` first uses TLS: a record of type handshake (RFC 8446,
    /// 5.1).
    public static func isTLS(_ byte: UInt8) -> Bool { byte == 0x16 }

    /// Whether a client that sends `byte` first may use HTTP: a letter, as every method in use
    /// begins, or the line end that clients put before a request (RFC 9112, 2.2).
    public static func isHTTP(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x0D
            || byte == 0x0A
    }
}
