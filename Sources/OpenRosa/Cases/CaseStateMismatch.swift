/// The hashes of server and device in the message of a 412.
///
/// CommCare HQ writes `Server hash: ccsh:…, Phone hash: ccsh:…. # of cases: [N]` somewhere in it.
/// Source: OpenRosa/Specification.md#code-412.
public struct CaseStateMismatch: Hashable, Sendable {
    /// The hash that the server expected.
    public var server: CaseStateHash
    /// The hash that the device sent.
    public var device: CaseStateHash
    /// Number of cases that the server expected, if stated.
    public var cases: Int?

    /// A mismatch with these values.
    public init(server: CaseStateHash, device: CaseStateHash, cases: Int? = nil) {
        self.server = server
        self.device = device
        self.cases = cases
    }

    /// Reads the text of a message.
    ///
    /// - Returns: Nil where it does not name two hashes after `Server hash:` and `Phone hash:`, or
    ///   is longer than 64 KiB.
    public init?(parsing message: String) {
        let bytes = Array(message.utf8)
        guard bytes.count <= 1 << 16,
            let server = Self.hash(after: "server hash:", in: bytes),
            let device = Self.hash(after: "phone hash:", in: bytes)
        else { return nil }
        self.init(server: server, device: device, cases: nil)
        guard let place = Self.end(of: "# of cases:", in: bytes) else { return }
        let digits = bytes[place...].drop { $0 == 0x20 || $0 == 0x5B }
            .prefix { (0x30...0x39).contains($0) }
        cases = Int(String(decoding: digits, as: UTF8.self))
    }

    private static func hash(after label: String, in bytes: [UInt8]) -> CaseStateHash? {
        guard let place = end(of: label, in: bytes) else { return nil }
        let text = bytes[place...].drop { $0 == 0x20 }.prefix {
            switch $0 {
            case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        return try? CaseStateHash(parsing: String(decoding: text, as: UTF8.self))
    }

    /// The place after the first occurrence of a lower-case label, which counts in either case.
    private static func end(of label: String, in bytes: [UInt8]) -> Int? {
        let label = Array(label.utf8)
        guard bytes.count >= label.count else { return nil }
        for start in 0...(bytes.count - label.count) {
            let part = bytes[start..<start + label.count]
            let isHere = zip(part, label).allSatisfy { byte, wanted in
                byte == wanted || (0x41...0x5A).contains(byte) && byte | 0x20 == wanted
            }
            if isHere { return start + label.count }
        }
        return nil
    }
}
