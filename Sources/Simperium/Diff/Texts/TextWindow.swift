/// The part of two texts that has all their differences, as code points.
///
/// What both begin and end with is left out, but for as much as a change could slide over.
struct TextWindow {
    var old: [UInt32] = []
    var new: [UInt32] = []
    /// UTF-16 code units that both have ahead of the window.
    var before = 0
    /// UTF-16 code units that both have after it.
    var after = 0

    init(_ old: String, _ new: String) {
        var old = old
        var new = new
        old.withUTF8 { old in new.withUTF8 { new in read(old, new) } }
    }

    private mutating func read(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) {
        let shorter = min(a.count, b.count)
        var prefix = 0
        while prefix < shorter, a[prefix] == b[prefix] { prefix += 1 }
        while prefix > 0, isInside(a, prefix) || isInside(b, prefix) { prefix -= 1 }
        var suffix = 0
        while suffix < shorter - prefix, a[a.count - 1 - suffix] == b[b.count - 1 - suffix] {
            suffix += 1
        }
        while suffix > 0, isInside(a, a.count - suffix) { suffix -= 1 }
        // Four bytes hold at least one code point.
        let context = 4 * (max(a.count, b.count) - prefix - suffix + 1)
        var start = max(0, prefix - context)
        while start > 0, isInside(a, start) { start -= 1 }
        var rest = max(0, suffix - context)
        while rest > 0, isInside(a, a.count - rest) { rest -= 1 }
        before = Self.units(a[..<start])
        after = Self.units(a[(a.count - rest)...])
        old = Self.scalars(a[start..<a.count - rest])
        new = Self.scalars(b[start..<b.count - rest])
    }

    /// Whether `place` is within the bytes of one code point.
    private func isInside(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        place < bytes.count && bytes[place] & 0xC0 == 0x80
    }

    private static func units(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var count = 0
        for byte in bytes { count += (byte & 0xC0 == 0x80 ? 0 : 1) + (byte >= 0xF0 ? 1 : 0) }
        return count
    }

    /// The code points of valid UTF-8.
    private static func scalars(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt32] {
        var scalars: [UInt32] = []
        scalars.reserveCapacity(bytes.count)
        var scalar: UInt32 = 0
        var missing = 0
        for byte in bytes {
            switch byte {
            case 0x80..<0xC0:
                scalar = scalar << 6 | UInt32(byte & 0x3F)
                missing -= 1
            case 0xC0..<0xE0: (scalar, missing) = (UInt32(byte & 0x1F), 1)
            case 0xE0..<0xF0: (scalar, missing) = (UInt32(byte & 0x0F), 2)
            case 0xF0...: (scalar, missing) = (UInt32(byte & 0x07), 3)
            default: (scalar, missing) = (UInt32(byte), 0)
            }
            if missing == 0 { scalars.append(scalar) }
        }
        return scalars
    }
}
