import CSQLite
import Filters
import Storage
import Testing

@testable import Trace

/// Values of filters that lie in other bytes.
struct SliceFunctionTests {
    /// The value as text, `null` for none.
    private func value(_ expression: String) throws -> String? {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try db.register(FilterFunctions())
        return try db.text("SELECT coalesce(\(expression), 'null')")
    }

    @Test(
        arguments: [
            ("'abc'", "x'00'", "0", "1", "1"), ("NULL", "x'6162630078'", "0", "3", "1"),
            ("NULL", "x'6162630078'", "1", "2", "1"), ("NULL", "x'6162630078'", "2", "3", "0"),
            // Beyond the end, and what nobody would write.
            ("NULL", "x'6162'", "1", "100", "1"), ("NULL", "x'6162'", "2", "1", "0"),
            ("NULL", "x'6162'", "-1", "2", "0"), ("NULL", "x'6162'", "0", "-2", "0"),
            ("NULL", "x'6162'", "9223372036854775807", "9223372036854775807", "0"),
            ("NULL", "x'6162'", "1", "9223372036854775807", "1"),
            ("NULL", "NULL", "0", "1", "null"), ("NULL", "x'6162'", "NULL", "1", "null"),
            ("NULL", "x'6162'", "0", "NULL", "null"),
        ] as [(String, String, String, String, String)])
    func `a slice is what its offset and size choose`(
        whole: String, bytes: String, offset: String, size: String, isFound: String
    ) throws {
        let found = try value("tape_contains(\(whole), \(bytes), \(offset), \(size), 'b')")
        #expect(found == isFound)
    }

    @Test func `a head may lie in a chunk`() throws {
        let text = ["'..GET / HTTP/1.1'", "'X-A: 1'", "''"].joined(
            separator: " || char(13, 10) || ")
        let head = "CAST(\(text) AS BLOB)"
        #expect(try value("tape_header(NULL, \(head), 2, 100, 'x-a')") == "1")
        #expect(try value("tape_header(NULL, \(head), 2, 100, 'x-b')") == "null")
        #expect(try value("tape_header(\(head), NULL, NULL, NULL, 'x-a')") == "1")
    }
}
