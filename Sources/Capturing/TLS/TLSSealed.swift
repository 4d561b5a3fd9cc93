public import Wire

/// Bytes of a connection that could not be read, and why.
public struct TLSSealed: Hashable, Sendable {
    /// Why bytes stayed encrypted.
    public enum Reason: Hashable, Sendable {
        /// No key log has the secrets of this connection.
        case noKeys
        /// It uses an unsupported version or cipher suite, which is named.
        case unsupported(String)
        /// Some of the bytes were not captured.
        case notCaptured
        /// The hello that determines how they are encrypted was not captured.
        case noHello
        /// All bytes are there, and the keys do not open them.
        case damaged
        /// They are data that a client sent before its server answered (0-RTT), without its secret.
        case earlyData
        /// They are such data, and the server refused it: the client sends it again.
        case earlyDataRefused
        /// The two sides agreed on new keys in the middle (RFC 5746), which is not followed.
        case renegotiated
        /// The stream ended in the middle of a record.
        case cutShort

        /// In a few words.
        public var detail: String {
            switch self {
            case .noKeys: "no key log has the secrets of this connection"
            case .unsupported(let name): "\(name) is not decrypted"
            case .notCaptured: "bytes of it were not captured"
            case .noHello: "the hello of its connection was not captured"
            case .damaged: "the keys of the key log do not decrypt it"
            case .earlyData: "no key log has the secret of data sent before the server answered"
            case .earlyDataRefused: "the server refused data sent before it answered"
            case .renegotiated: "what follows a renegotiation is not decrypted"
            case .cutShort: "the stream ends within a record"
            }
        }
    }

    /// Who sent them.
    public var sender: Peer
    /// When the first was captured, in nanoseconds since 1970 UTC.
    public var atUnixNanoseconds: Int64
    /// When the last was captured, in nanoseconds since 1970 UTC.
    public var untilUnixNanoseconds: Int64
    /// Bytes on the wire that were captured, with the headers of records.
    public var captured: Int64
    /// Bytes on the wire that were not.
    public var missing: Int64
    /// Bytes of application data in them; nil where that is unknown.
    ///
    /// Known where the records before and after them could be opened, since their sequence numbers
    /// show how many are between. It includes padding and what was not application data.
    public var plaintext: Int64?
    /// Why.
    public var reason: Reason

    /// As one line of text.
    public var detail: String {
        let lost = missing > 0 ? " and \(missing) that were not captured" : ""
        return "\(captured) bytes of the \(sender)\(lost) stay encrypted: \(reason.detail)"
    }
}
