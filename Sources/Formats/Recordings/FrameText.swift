internal import Notation
internal import Wire

/// WebSocket frames (RFC 6455, 5.2) as JSON objects with their payload unmasked, and back.
///
/// Only bytes that are restored exactly are written as frames: lengths in their shortest form,
/// known opcodes. The last frame may be cut; `size` then has the length that its head states.
struct FrameText {
    private struct Frame {
        var first: UInt8
        var mask: ArraySlice<UInt8>?
        /// Bytes that the head states.
        var size: Int
        /// Unmasked; fewer than `size` where the frame is cut.
        var payload: [UInt8]
        var end: Int
    }

    private static let names: [UInt8: String] = [
        0x81: "text", 0x82: "binary", 0x88: "close", 0x89: "ping", 0x8A: "pong",
    ]
    /// The maximum number of frames of one value: a frame costs some 40 bytes besides its payload.
    private static let most = 1_024
    /// Bytes of the longest head.
    private static let longestHead = 14

    private var frames: [Frame] = []
    /// The head of a frame that is cut.
    private var rest: ArraySlice<UInt8>

    // MARK: Writing

    /// The frames that `bytes` are; nil where they are none.
    init?(parsing bytes: ArraySlice<UInt8>) {
        rest = bytes
        while let frame = Self.frame(rest) {
            guard frames.count < Self.most else { return nil }
            frames.append(frame)
            rest = bytes[frame.end...]
        }
        guard !frames.isEmpty, rest.count < Self.longestHead else { return nil }
    }

    private static func frame(_ bytes: ArraySlice<UInt8>) -> Frame? {
        let start = bytes.startIndex
        guard bytes.count >= 2 else { return nil }
        let first = bytes[start]
        let isFinal = first & 0x80 != 0
        switch first & 0xF {
        case 0, 1, 2: break
        case 8, 9, 10: guard isFinal, bytes[start + 1] & 0x7F < 126 else { return nil }
        default: return nil
        }
        guard first & 0x30 == 0 else { return nil }
        var position = start + 2
        var size = Int(bytes[start + 1] & 0x7F)
        let isMasked = bytes[start + 1] & 0x80 != 0
        if size >= 126 {
            let length = size == 126 ? 2 : 8
            guard bytes.endIndex - position >= length else { return nil }
            let value = bytes[position..<position + length].reduce(0 as UInt64) {
                $0 << 8 | UInt64($1)
            }
            guard value <= UInt64(Int64.max), value >= (length == 2 ? 126 : 65_536)
            else { return nil }
            size = Int(value)
            position += length
        }
        var mask: ArraySlice<UInt8>?
        if isMasked {
            guard bytes.endIndex - position >= 4 else { return nil }
            mask = bytes[position..<position + 4]
            position += 4
        }
        let end = size < bytes.endIndex - position ? position + size : bytes.endIndex
        let payload = masked(bytes[position..<end], mask)
        if payload.count < size {
            // Anything could be the head of a frame that is cut, so its text has to show it.
            guard payload.count >= 16, first & 0x40 == 0,
                TextScan.end(of: payload[...]) >= payload.count - 3
            else { return nil }
        }
        return Frame(first: first, mask: mask, size: size, payload: payload, end: end)
    }

    private static func masked(
        _ bytes: ArraySlice<UInt8>, _ mask: ArraySlice<UInt8>?
    ) -> [UInt8] {
        guard let mask else { return Array(bytes) }
        let key = Array(mask)
        var result = Array(bytes)
        for index in result.indices { result[index] ^= key[index & 3] }
        return result
    }

    /// Appends the frames as elements of a value.
    func write(to elements: inout ByteText.Elements) {
        for frame in frames {
            elements.object { output in
                output.append(0x7B)
                JSONWriting.name("frame", to: &output)
                let name =
                    Self.names[frame.first]
                    ?? Hexadecimal.text([frame.first])
                JSONWriting.string(name.utf8, to: &output)
                if let mask = frame.mask {
                    JSONWriting.name("mask", to: &output)
                    JSONWriting.string(Hexadecimal.text(mask).utf8, to: &output)
                }
                if frame.payload.count < frame.size {
                    JSONWriting.name("size", to: &output)
                    JSONWriting.number(Int64(frame.size), to: &output)
                }
                JSONWriting.name("payload", to: &output)
                ByteText.write(frame.payload[...], allowsFrames: false, to: &output)
                output.append(0x7D)
            }
        }
        if !rest.isEmpty { elements.base64(rest) }
    }

    // MARK: Reading

    /// The bytes of the frame in `node`.
    static func read(_ node: JSONNode) throws(RowMistake) -> [UInt8] {
        var first: UInt8?
        var mask: [UInt8]?
        var size: Int64?
        var payload: [UInt8]?
        for member in node.members {
            let value = member.value
            let place = value.range.lowerBound
            switch member.key.string {
            case "frame" where first == nil:
                let name = value.string ?? ""
                first = names.first { $0.value == name }?.key ?? Self.bytes(name, count: 1)?.first
                guard first != nil else {
                    throw RowMistake(place, "frame is text, binary, close, ping, pong or a byte")
                }
            case "mask" where mask == nil:
                mask = Self.bytes(value.string ?? "", count: 4)
                guard mask != nil else { throw RowMistake(place, "a mask is 8 digits") }
            case "size" where size == nil:
                size = value.int
                guard let size, size >= 0 else {
                    throw RowMistake(place, "a size is a number of at least 0")
                }
            case "payload" where payload == nil:
                payload = try ByteText.read(value, allowsFrames: false)
            default:
                throw RowMistake(
                    member.key.range.lowerBound, "frames have frame, mask, size and payload once")
            }
        }
        guard let first, let payload else {
            throw RowMistake(node.range.lowerBound, "a frame has frame and payload")
        }
        let stated = size ?? Int64(payload.count)
        guard stated >= Int64(payload.count) else {
            throw RowMistake(node.range.lowerBound, "the payload is longer than its size")
        }
        var bytes = head(first, isMasked: mask != nil, size: stated)
        bytes.append(contentsOf: mask ?? [])
        bytes.append(contentsOf: masked(payload[...], mask?[...]))
        return bytes
    }

    private static func head(_ first: UInt8, isMasked: Bool, size: Int64) -> [UInt8] {
        let bit: UInt8 = isMasked ? 0x80 : 0
        func bigEndian(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: size >> Int64(8 * (count - 1 - $0))) }
        }
        switch size {
        case ..<126: return [first, bit | UInt8(truncatingIfNeeded: size)]
        case ..<65_536: return [first, bit | 126] + bigEndian(2)
        default: return [first, bit | 127] + bigEndian(8)
        }
    }

    private static func bytes(_ digits: String, count: Int) -> [UInt8]? {
        Hexadecimal.decode(digits.utf8).flatMap { $0.count == count ? $0 : nil }
    }
}
