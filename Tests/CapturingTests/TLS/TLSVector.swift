import Foundation
import Testing
import Wire

@testable import Capturing

/// A TLS session that another program had; `Tools/oracles/tls_vectors.py` has the format.
struct TLSVector: CustomTestStringConvertible, Sendable {
    /// One record on the wire.
    struct Record: Sendable {
        var sender: Peer
        var bytes: [UInt8]
        /// Where it begins in what its sender sent.
        var offset: Int
    }

    var name: String
    var detail = ""
    var keyText = ""
    var records: [Record] = []
    var plain: [Peer: [UInt8]] = [.client: [], .server: []]

    var testDescription: String { name }
    var keys: KeyLog { Self.keys(keyText) }
    /// Whether all of it is read, and each record with application data is followed by others.
    var isSimple: Bool { name.hasPrefix("1.2 TLS") || name.hasPrefix("1.3 TLS") }
    /// Whether all of it is read.
    var isReadable: Bool { name.hasPrefix("1.") && !name.hasSuffix("early data") }

    static func keys(_ text: String) -> KeyLog {
        var keys = KeyLog()
        keys.append(text, from: "vector")
        return keys
    }

    static func hex(_ text: Substring) -> [UInt8] {
        let digits = text.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static let all: [TLSVector] = ["tls", "tls-rfc8448"].flatMap(read)
    static let readable = all.filter(\.isReadable)
    static let simple = all.filter(\.isSimple)

    /// The vector with this name; an empty one where there is none, which no test accepts.
    static func named(_ name: String) -> TLSVector {
        all.first { $0.name == name } ?? TLSVector(name: "no \(name)")
    }

    private static func read(_ name: String) -> [TLSVector] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Vectors/\(name).txt")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var vectors: [TLSVector] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { continue }
            let rest = words[1]
            if words[0] == "session" {
                vectors.append(TLSVector(name: String(rest)))
                continue
            }
            let last = vectors.count - 1
            switch words[0] {
            case "says": vectors[last].detail = String(rest)
            case "key": vectors[last].keyText += rest + "\n"
            case "client": vectors[last].add(hex(rest), from: .client)
            case "server": vectors[last].add(hex(rest), from: .server)
            case "plain":
                let fields = rest.split(separator: " ")
                let sender: Peer = fields[0] == "client" ? .client : .server
                vectors[last].plain[sender] = fields.count > 1 ? hex(fields[1]) : []
            default: continue
            }
        }
        return vectors
    }

    /// Cuts what was sent at once into its records, which it ends with.
    private mutating func add(_ bytes: [UInt8], from sender: Peer) {
        var rest = bytes[...]
        while rest.count >= 5 {
            let start = rest.startIndex
            let count = 5 + (Int(rest[start + 3]) << 8 | Int(rest[start + 4]))
            let offset = stream(sender).count
            records.append(
                Record(sender: sender, bytes: Array(rest.prefix(count)), offset: offset))
            rest = rest.dropFirst(count)
        }
    }

    /// All that one side sent.
    func stream(_ sender: Peer) -> [UInt8] {
        records.filter { $0.sender == sender }.flatMap(\.bytes)
    }
}

extension KeyLog {
    /// Takes a key log as text.
    mutating func append(_ text: String, from source: String) {
        append(Array(text.utf8)[...], from: source)
    }
}
