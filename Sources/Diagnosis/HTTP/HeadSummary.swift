/// The fields of a head that rules need, found without creating text.
struct HeadSummary {
    /// Fields by name.
    struct Names: OptionSet {
        let rawValue: UInt32
        static let date = Names(rawValue: 1 << 0)
        static let allow = Names(rawValue: 1 << 1)
        static let cookie = Names(rawValue: 1 << 2)
        static let expect = Names(rawValue: 1 << 3)
        static let location = Names(rawValue: 1 << 4)
        static let setCookie = Names(rawValue: 1 << 5)
        static let connection = Names(rawValue: 1 << 6)
        static let contentLength = Names(rawValue: 1 << 7)
        static let acceptEncoding = Names(rawValue: 1 << 8)
        static let contentEncoding = Names(rawValue: 1 << 9)
        static let authenticate = Names(rawValue: 1 << 10)
        static let transferEncoding = Names(rawValue: 1 << 11)
    }

    /// The fields there are.
    private(set) var names: Names = []
    /// Whether `Connection` has `close`.
    private(set) var closes = false

    /// Looks through a head.
    init(_ head: [UInt8]) {
        let bytes = head.span
        var start = 0
        while start < bytes.count {
            var colon = -1
            var end = start
            while end < bytes.count, bytes[end] != 0x0A {
                if colon < 0, bytes[end] == 0x3A { colon = end }
                end += 1
            }
            // The start line may have a colon, and matches no known name.
            if colon > start { take(bytes, start..<colon, value: colon + 1..<end) }
            start = end + 1
        }
    }

    private mutating func take(
        _ bytes: borrowing Span<UInt8>, _ name: Range<Int>, value: Range<Int>
    ) {
        func isName(_ word: StaticString) -> Bool { Self.isEqual(bytes, name, word) }
        switch name.count {
        case 4: if isName("date") { names.insert(.date) }
        case 5: if isName("allow") { names.insert(.allow) }
        case 6:
            if isName("cookie") { names.insert(.cookie) }
            if isName("expect") { names.insert(.expect) }
        case 8: if isName("location") { names.insert(.location) }
        case 10:
            if isName("set-cookie") { names.insert(.setCookie) }
            if isName("connection") {
                names.insert(.connection)
                closes = closes || Self.hasClose(bytes, value)
            }
        case 14: if isName("content-length") { names.insert(.contentLength) }
        case 15: if isName("accept-encoding") { names.insert(.acceptEncoding) }
        case 16:
            if isName("content-encoding") { names.insert(.contentEncoding) }
            if isName("www-authenticate") { names.insert(.authenticate) }
        case 17: if isName("transfer-encoding") { names.insert(.transferEncoding) }
        default: break
        }
    }

    private static func isEqual(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ word: StaticString
    ) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        for index in 0..<range.count {
            let byte = bytes[range.lowerBound + index]
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            guard lower == word.utf8Start[index] else { return false }
        }
        return true
    }

    /// Whether a list has the element `close`.
    private static func hasClose(_ bytes: borrowing Span<UInt8>, _ value: Range<Int>) -> Bool {
        var start = value.lowerBound
        while start < value.upperBound {
            while start < value.upperBound, isBlank(bytes[start]) { start += 1 }
            var end = start
            while end < value.upperBound, bytes[end] != 0x2C { end += 1 }
            var last = end
            while last > start, isBlank(bytes[last - 1]) { last -= 1 }
            if isEqual(bytes, start..<last, "close") { return true }
            start = end + 1
        }
        return false
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
