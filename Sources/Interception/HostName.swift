internal import Platform

/// The subject of a leaf certificate: a name or an address that is valid in a certificate.
enum HostName: Hashable, Sendable {
    /// A DNS name: lower case, without a dot at the end, 1...253 characters.
    case name(String)
    /// An IP address: 4 or 16 bytes in network order.
    case address([UInt8])

    /// Parses a client's server name, or the host of a CONNECT target or URL.
    ///
    /// - Parameter text: A DNS name or IP address, the latter with or without brackets; hostile.
    /// - Throws: ``InterceptionError`` with code `badHost`.
    init(_ text: String) throws(InterceptionError) {
        var bytes = Array(text.utf8.prefix(300))
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            bytes = Array(bytes.dropFirst().dropLast())
        }
        guard !bytes.isEmpty else { throw InterceptionError(.badHost, "the host name is empty") }
        let isPlain = bytes.allSatisfy(Self.isAllowed)
        if isPlain, let address = Self.address(String(decoding: bytes, as: UTF8.self)) {
            self = .address(address)
            return
        }
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard isPlain, bytes.count <= 253, !bytes.contains(UInt8(ascii: ":")),
            labels.allSatisfy({ 1...63 ~= $0.count })
        else {
            throw InterceptionError(
                .badHost, "no certificate can be made for the host name \(Self.quoted(text))")
        }
        self = .name(String(decoding: bytes.map(Self.lowercased), as: UTF8.self))
    }

    /// The name or address as text.
    var text: String {
        switch self {
        case .name(let name): name
        case .address(let bytes) where bytes.count == 4:
            bytes.map { String($0) }.joined(separator: ".")
        case .address(let bytes):
            stride(from: 0, to: bytes.count - 1, by: 2)
                .map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
                .joined(separator: ":")
        }
    }

    /// The bytes of an IP address in text; nil where it is none.
    static func address(_ text: String) -> [UInt8]? {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
        return nil
    }

    /// Letters, digits, hyphen, dot, the underscore that real hosts have, and an address's colon.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    /// `byte` in lower case.
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    /// The start of a hostile text, fit for a terminal.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(64) {
            result += scalar.escaped(asASCII: true)
        }
        return result + (text.unicodeScalars.count > 64 ? "…\"" : "\"")
    }
}
