internal import Crypto

/// The file that Java reads trusted certificates from, in the format JKS: every version reads it, and
/// needs no password for that.
///
/// Source: `sun.security.provider.JavaKeyStore` of OpenJDK, `engineStore`.
public enum JavaTrustStore {
    /// The password that the check sum is made with, as in the store that comes with Java.
    public static let password = "changeit"

    /// A store.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as DER; the first has the alias `tapedeck`.
    ///   - milliseconds: When it is made, since 1970.
    /// - Returns: The content of the file.
    public static func bytes(certificates: [[UInt8]], milliseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(big: UInt32(0xFEED_FEED))
        bytes.append(big: UInt32(2))
        bytes.append(big: UInt32(certificates.count))
        for (number, certificate) in certificates.enumerated() {
            bytes.append(big: UInt32(2))
            bytes.append(text: number == 0 ? "tapedeck" : "system-\(number)")
            bytes.append(big: UInt64(bitPattern: milliseconds))
            bytes.append(text: "X.509")
            bytes.append(big: UInt32(certificate.count))
            bytes += certificate
        }
        var checked = Insecure.SHA1()
        checked.update(data: password.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        checked.update(data: Array("Mighty Aphrodite".utf8))
        checked.update(data: bytes)
        return bytes + checked.finalize()
    }
}

extension [UInt8] {
    fileprivate mutating func append(big number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Its length in 16 bits, then the text, which is ASCII.
    fileprivate mutating func append(text: String) {
        append(big: UInt16(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}
