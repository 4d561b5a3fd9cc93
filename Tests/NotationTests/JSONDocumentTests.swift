import Notation
import Testing

struct JSONDocumentTests {
    private func scan(_ text: String) throws -> JSONDocument {
        try JSONDocument.scan(Array(text.utf8))
    }

    @Test func `gives values with their bytes`() throws {
        let text = #" {"id": "a", "v": [1, -2.50, true, false, null], "o": {}} "#
        let root = try scan(text).root
        #expect(root.kind == .object)
        #expect(root.range == 1..<text.utf8.count - 1)
        #expect(root["id"]?.string == "a")
        #expect(root["id"]?.range == 8..<11)
        #expect(root["id"]?.text == "\"a\"")
        let list = try #require(root["v"])
        #expect(list.elements.map(\.kind) == [.number, .number, .true, .false, .null])
        #expect(list.elements.map(\.int) == [1, nil, nil, nil, nil])
        #expect(list.elements.map(\.number) == ["1", "-2.50", nil, nil, nil])
        #expect(list.elements.map(\.bool) == [nil, nil, true, false, nil])
        #expect(root["o"]?.kind == .object)
        #expect(root["o"]?.members.map(\.key.text) == [])
        #expect(root["missing"] == nil)
        #expect(list["id"] == nil)
        #expect(root.elements.map(\.kind) == [])
    }

    @Test func `keeps order and duplicates of keys, and takes the last`() throws {
        let root = try scan(#"{"b":1,"a":2,"b":3,"\u0062":4}"#).root
        #expect(root.members.map { $0.key.string } == ["b", "a", "b", "b"])
        #expect(root["b"]?.int == 4)
        #expect(root.all("b").map(\.int) == [1, 3, 4])
    }

    @Test func `does not take canonically equivalent keys for one`() throws {
        let root = try scan("{\"\u{E9}\":1,\"e\u{301}\":2}").root
        #expect(root["\u{E9}"]?.int == 1)
        #expect(root["e\u{301}"]?.int == 2)
    }

    @Test func `reads a part of the bytes with offsets in the whole`() throws {
        let bytes = Array("0:c:[1]\n".utf8)
        let document = try JSONDocument.scan(bytes, in: 4..<8)
        #expect(document.root.range == 4..<7)
        #expect(throws: JSONError.endedEarly(offset: 6)) {
            try JSONDocument.scan(bytes, in: 4..<6)
        }
        #expect(throws: JSONError.endedEarly(offset: 8)) {
            try JSONDocument.scan(bytes, in: 8..<4_000)
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e2", nil),
            ("99999999999999999999999999", nil), ("\"1\"", nil), ("1152921504606846976", 1 << 60),
        ] as [(String, Int64?)])
    func `whole numbers`(text: String, value: Int64?) throws {
        #expect(try scan(text).root.int == value)
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"),
        (#""\u00e9\u00E9é""#, "ééé"), (#""\ud83d\ude00x😀""#, "😀x😀"), (#""\u0000""#, "\0"),
        (#""""#, ""), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    ])
    func `strings`(text: String, value: String) throws {
        let node = try scan(text).root
        #expect(node.string == value)
        #expect(node.utf16 == Array(value.utf16))
        #expect(node.spells(value))
        #expect(!node.spells(value + "x"))
        #expect(!node.hasLoneSurrogate)
    }

    @Test(
        arguments: [
            (#""\ud800""#, [0xD800]), (#""a\udc00b""#, [0x61, 0xDC00, 0x62]),
            (#""\ud800\ud800\udc00""#, [0xD800, 0xD800, 0xDC00]), (#""\ud800x""#, [0xD800, 0x78]),
            (#""\udc00\ud800""#, [0xDC00, 0xD800]), (#""\ud800\n""#, [0xD800, 0x0A]),
        ] as [(String, [UInt16])])
    func `lone surrogates are reported and keep their length`(text: String, units: [UInt16]) throws
    {
        let node = try scan(text).root
        #expect(node.hasLoneSurrogate)
        #expect(node.utf16 == units)
        #expect(node.string?.utf16.count == units.count)
        #expect(node.string?.contains("\u{FFFD}") == true)
    }

    @Test(
        arguments: [
            ("", .endedEarly(offset: 0)), ("  ", .endedEarly(offset: 2)),
            ("[", .endedEarly(offset: 1)), ("[1", .endedEarly(offset: 2)),
            ("[1,", .endedEarly(offset: 3)), ("{", .endedEarly(offset: 1)),
            (#"{"a""#, .endedEarly(offset: 4)), (#"{"a":"#, .endedEarly(offset: 5)),
            (#"{"a":1"#, .endedEarly(offset: 6)), (#"{"a":1,"#, .endedEarly(offset: 7)),
            (#""abc"#, .endedEarly(offset: 4)), (#""\"#, .endedEarly(offset: 2)),
            (#""\u12"#, .endedEarly(offset: 5)), ("-", .endedEarly(offset: 1)),
            ("[1,]", .unexpectedByte(0x5D, offset: 3)), ("[,1]", .unexpectedByte(0x2C, offset: 1)),
            ("[1 2]", .unexpectedByte(0x32, offset: 3)), ("[1}", .unexpectedByte(0x7D, offset: 2)),
            (#"{"a":1]"#, .unexpectedByte(0x5D, offset: 6)),
            (#"{"a":1,}"#, .unexpectedByte(0x7D, offset: 7)),
            (#"{"a" 1}"#, .unexpectedByte(0x31, offset: 5)),
            (#"{"a"}"#, .unexpectedByte(0x7D, offset: 4)),
            (#"{1:2}"#, .unexpectedByte(0x31, offset: 1)),
            (#"{a:2}"#, .unexpectedByte(0x61, offset: 1)),
            ("'a'", .unexpectedByte(0x27, offset: 0)), ("]", .unexpectedByte(0x5D, offset: 0)),
            ("+1", .unexpectedByte(0x2B, offset: 0)), (".5", .unexpectedByte(0x2E, offset: 0)),
            ("\u{FEFF}1", .unexpectedByte(0xEF, offset: 0)),
            ("// a", .unexpectedByte(0x2F, offset: 0)),
            ("[\u{0C}1]", .unexpectedByte(0x0C, offset: 1)),
            ("1 2", .trailingBytes(offset: 2)), ("{}{}", .trailingBytes(offset: 2)),
            ("[]]", .trailingBytes(offset: 2)), ("1\0", .trailingBytes(offset: 1)),
            ("01", .invalidNumber(offset: 0)), ("-01", .invalidNumber(offset: 0)),
            ("1.", .invalidNumber(offset: 0)), ("1.e1", .invalidNumber(offset: 0)),
            ("1e", .invalidNumber(offset: 0)), ("1e+", .invalidNumber(offset: 0)),
            ("-a", .invalidNumber(offset: 0)), ("0x10", .invalidNumber(offset: 0)),
            ("[1.5.5]", .invalidNumber(offset: 1)), ("1_000", .invalidNumber(offset: 0)),
            ("-Infinity", .invalidNumber(offset: 0)), ("--1", .invalidNumber(offset: 0)),
            ("NaN", .invalidLiteral(offset: 0)), ("Infinity", .invalidLiteral(offset: 0)),
            ("undefined", .invalidLiteral(offset: 0)), ("[tru]", .invalidLiteral(offset: 1)),
            ("True", .invalidLiteral(offset: 0)), ("nulll", .invalidLiteral(offset: 0)),
            ("truefalse", .invalidLiteral(offset: 0)), ("nul", .invalidLiteral(offset: 0)),
            (#""\x""#, .invalidEscape(offset: 1)), (#""\u12g4""#, .invalidEscape(offset: 1)),
            (#""a\'""#, .invalidEscape(offset: 2)), (#""\U0041""#, .invalidEscape(offset: 1)),
            ("\"a\nb\"", .controlCharacter(0x0A, offset: 2)),
            ("\"\t\"", .controlCharacter(0x09, offset: 1)),
            ("\"\0\"", .controlCharacter(0x00, offset: 1)),
        ] as [(String, JSONError)])
    func `refuses`(text: String, error: JSONError) {
        #expect(throws: error) { try scan(text) }
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x28, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `refuses ill-formed UTF-8`(sequence: [UInt8]) {
        #expect(throws: JSONError.invalidUTF8(offset: 2)) {
            try JSONDocument.scan([0x22, 0x61] + sequence + [0x22])
        }
    }

    @Test func `nesting ends at the limit, whatever its depth`() throws {
        let limit = JSONLimits.usual.depth
        let deep = [UInt8](repeating: 0x5B, count: limit) + [UInt8](repeating: 0x5D, count: limit)
        #expect(try JSONDocument.scan(deep).count == limit)
        #expect(throws: JSONError.tooDeep(limit: limit, offset: limit)) {
            try JSONDocument.scan([UInt8](repeating: 0x5B, count: 1_000_000))
        }
        let objects = Array(String(repeating: "{\"a\":", count: 100_000).utf8)
        #expect(throws: JSONError.tooDeep(limit: 3, offset: 15)) {
            try JSONDocument.scan(objects, limits: JSONLimits(depth: 3))
        }
    }

    @Test func `the number of values ends at the limit`() throws {
        let limits = JSONLimits(values: 4)
        #expect(try JSONDocument.scan(Array("[1,2,3]".utf8), limits: limits).count == 4)
        #expect(throws: JSONError.tooManyValues(limit: 4, offset: 7)) {
            try JSONDocument.scan(Array("[1,2,3,4]".utf8), limits: limits)
        }
    }

    @Test func `every error tells its offset and a reason`() {
        let errors: [JSONError] = [
            .unexpectedByte(0x41, offset: 9), .unexpectedByte(0, offset: 9), .endedEarly(offset: 9),
            .trailingBytes(offset: 9), .invalidNumber(offset: 9), .invalidLiteral(offset: 9),
            .invalidEscape(offset: 9), .controlCharacter(9, offset: 9), .invalidUTF8(offset: 9),
            .tooDeep(limit: 1, offset: 9), .tooManyValues(limit: 1, offset: 9),
            .tooLong(limit: 1, offset: 9),
        ]
        #expect(errors.allSatisfy { $0.offset == 9 && !$0.description.isEmpty })
        #expect(errors[0].description == "unexpected 'A' in JSON")
        #expect(errors[1].description == "unexpected byte 0x00 in JSON")
    }
}
