/// Looks for an alert that a TLS client sends unencrypted.
///
/// A client that refuses a certificate may send an alert before its encryption starts, as OpenSSL's
/// does in TLS 1.3; a server that expects encrypted records cannot read that alert, and its error
/// does not contain the cause. The records of a handshake are small, so looking at their headers
/// costs nothing. Source: RFC 8446, 5.1 and 6; the client observed is OpenSSL 3.0.
public struct PlainAlert: Hashable, Sendable {
    /// The code of the alert, once one was seen.
    public private(set) var code: UInt8?

    /// Header of the record that is being read, and the first two bytes of its content.
    private var start: [UInt8] = []
    /// Bytes of the record's content that are still to come.
    private var left = 0

    /// Nothing seen yet.
    public init() {}

    /// Processes bytes that a client sent, in order.
    public mutating func consume(_ bytes: borrowing Span<UInt8>) {
        var index = 0
        while index < bytes.count, code == nil {
            if start.count < 5 {
                start.append(bytes[index])
                index += 1
                if start.count == 5 { left = Int(start[3]) << 8 | Int(start[4]) }
                if start.count == 5, left == 0 { start = [] }
                continue
            }
            if isAlert, start.count < 7 { start.append(bytes[index]) }
            let taken = isAlert ? 1 : min(left, bytes.count - index)
            index += taken
            left -= taken
            guard left == 0 else { continue }
            if isAlert { code = start[6] }
            start = []
        }
    }

    /// Whether the record is an alert of two bytes: an encrypted one is longer.
    private var isAlert: Bool { start[0] == 21 && start[3] == 0 && start[4] == 2 }
}

extension TLSFailure {
    /// The failure that an alert of the client means.
    ///
    /// - Parameters:
    ///   - code: The code of the alert (RFC 8446, 6).
    ///   - leg: The leg it came on.
    public init(alert code: UInt8, on leg: Leg) {
        self.init(.alert(code: code, name: Self.name(alert: code)), on: leg)
    }
}
