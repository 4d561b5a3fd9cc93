internal import Crypto
internal import Foundation
internal import Notation
public import Redaction

/// What becomes of secrets before anything leaves the machine.
public enum ShippedSecrets: Sendable {
    /// They are replaced by stand-ins.
    ///
    /// With the same key, stand-ins are equal in all traces; nil for a key of the trace.
    case redacted(RedactionOptions, key: FleetKey?)
    /// They are shipped.
    case kept
}

/// The key of a fleet, under which stand-ins of secrets are equal in the traces of all recorders.
public struct FleetKey: Hashable, Sendable {
    /// ``Redaction/keySize`` bytes.
    let bytes: [UInt8]

    /// The key that follows from the content of a file.
    ///
    /// - Throws: ``FleetError`` with code `usage` where that is too short to be one, or can be read
    ///   by others.
    public init(file path: String) throws(FleetError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FleetError(.usage, "the key \(path) cannot be read; check the name")
        }
        guard data.count >= Redaction.keySize else {
            throw FleetError(
                .usage,
                "\(path) is too short for a key: it has \(data.count) bytes, and \(Redaction.keySize) or more random ones are needed, such as those of head -c 32 /dev/urandom"
            )
        }
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        let mode = (facts?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        guard mode & 0o077 == 0 else {
            throw FleetError(
                .usage, "others can read the key \(path), which guesses secrets; chmod 600 \(path)")
        }
        bytes = Array(SHA256.hash(data: data))
    }

    /// A key from its hexadecimal form; nil for anything else.
    init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.decode(text.utf8), bytes.count == Redaction.keySize else {
            return nil
        }
        self.bytes = bytes
    }

    /// A new key.
    init() {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<Redaction.keySize).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// The key in hexadecimal digits.
    var hexadecimal: String { Hexadecimal.text(bytes) }
}
