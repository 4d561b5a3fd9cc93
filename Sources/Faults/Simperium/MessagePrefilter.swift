import Filters
import Framing
import Wire

/// What is known of a message in one frame without parsing it.
///
/// Of use only as long as the bytes it points at.
struct MessagePrefilter {
    let sender: Peer
    let opcode: WebSocketOpcode
    /// The payload as on the wire.
    private let bytes: UnsafeRawBufferPointer
    /// The masking key, first byte in the highest bits; 0 where it is not masked.
    private let key: UInt32
    /// The payload, once it was unmasked.
    private var plain: [UInt8]?
    /// Name of the command, packed by ``packed(_:)``; nil where it is unknown.
    private(set) var name: UInt64?
    /// Channel of the command.
    private(set) var channel: Int?

    /// Name of the command that opens a channel.
    static let opening = packed("init".utf8)

    init(
        sender: Peer, opcode: WebSocketOpcode, bytes: UnsafeRawBufferPointer, key: UInt32
    ) {
        self.sender = sender
        self.opcode = opcode
        self.bytes = bytes
        self.key = key
    }

    /// The bytes of a name in one number; nil for none and for more than eight.
    static func packed(_ name: some Sequence<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        var count = 0
        for byte in name {
            count += 1
            if count > 8 { return nil }
            number = number << 8 | UInt64(byte)
        }
        return count == 0 ? nil : number
    }

    /// Reads channel and name of a command at the start of the payload.
    mutating func findName() {
        var index = 0
        var number = 0
        while index < bytes.count, index < 10, case let digit = self[index] &- 0x30, digit < 10 {
            number = number * 10 + Int(digit)
            index += 1
        }
        let hasChannel = index > 0
        if hasChannel {
            guard index < bytes.count, self[index] == 0x3A else { return }
            index += 1
        }
        let start = index
        var packed: UInt64 = 0
        while index < bytes.count, case let byte = self[index], byte != 0x3A {
            guard byte > 0x20, byte < 0x7F, index - start < 8 else { return }
            packed = packed << 8 | UInt64(byte)
            index += 1
        }
        guard index > start else { return }
        name = packed
        channel = hasChannel ? number : nil
    }

    /// Whether something can hold for it, on a channel of `buckets`.
    mutating func fits(_ condition: FilterCondition, _ buckets: [Int: String]) -> Bool {
        switch condition {
        case .open: return true
        case .never: return false
        case .sender(let peer): return sender == peer
        case .opcode(let range): return range.contains(Int64(opcode.rawValue))
        case .name(let expected): return name == nil || name == expected
        case .channel(let range):
            guard name != nil else { return true }
            return channel.map { range.contains(Int64($0)) } ?? false
        case .bucket(let expected):
            guard name != nil else { return true }
            return channel.flatMap { buckets[$0] } == expected
        case .mention(let needle): return contains(needle) || contains([0x5C, 0x75])
        case .bytes(let needle): return contains(needle)
        case .all(let parts):
            for part in parts where !fits(part, buckets) { return false }
            return true
        case .any(let parts):
            for part in parts where fits(part, buckets) { return true }
            return false
        }
    }

    private subscript(index: Int) -> UInt8 {
        bytes[index] ^ UInt8(truncatingIfNeeded: key >> UInt32(24 - 8 * (index & 3)))
    }

    private mutating func contains(_ needle: [UInt8]) -> Bool {
        if key == 0 { return ByteSearch.contains(bytes, lowercasedNeedle: needle) }
        let payload = plain ?? unmasked()
        plain = payload
        return payload.withUnsafeBytes { ByteSearch.contains($0, lowercasedNeedle: needle) }
    }

    private func unmasked() -> [UInt8] {
        let word = (UInt64(key) << 32 | UInt64(key)).bigEndian
        return Array(unsafeUninitializedCapacity: bytes.count) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            var index = 0
            while index + 8 <= bytes.count {
                target.storeBytes(
                    of: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word,
                    toByteOffset: index, as: UInt64.self)
                index += 8
            }
            while index < bytes.count {
                target[index] = self[index]
                index += 1
            }
            count = bytes.count
        }
    }
}
