import Notation
import Testing

struct JSONValueTests {
    private func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    @Test(arguments: [
        ("1", "1.0", true), ("10", "1e1", true), ("0.1", "10e-2", true), ("-0", "0", true),
        ("0e99", "0", true), ("1", "2", false), ("-1", "1", false), ("1e400", "1e401", false),
        ("1152921504606846976", "1152921504606846977", false),
        ("1e99999999999999999999", "1e99999999999999999999", true),
        ("1e99999999999999999999", "2e99999999999999999999", false),
        ("true", "1", false), ("null", "0", false), ("\"1\"", "1", false),
        (#""\u00e9""#, "\"é\"", true), ("\"\u{E9}\"", "\"e\u{301}\"", false),
        ("[1,2]", "[1.0,2]", true), ("[1,2]", "[2,1]", false), ("[]", "{}", false),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, true),
        (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#, true),
    ])
    func `compares what is meant`(a: String, b: String, same: Bool) throws {
        #expect(try value(a).isSame(as: value(b)) == same)
        #expect(try value(b).isSame(as: value(a)) == same)
    }

    @Test func `compares exactly with ==`() throws {
        #expect(try value("1") != value("1.0"))
        #expect(try value(#"{"a":1,"b":2}"#) != value(#"{"b":2,"a":1}"#))
        #expect(try value("\"\u{E9}\"") != value("\"e\u{301}\""))
        #expect(try value(#"{"a":[1,{"b":null}]}"#) == value(#" { "a" : [ 1 , {"b":null} ] } "#))
    }

    @Test func `writes as JavaScript and as Python do`() throws {
        let value = try value("{\"é\":[1.50,\"😀\\u007f/\\u0001\\\"\\\\\\n\"],\"b\":true}")
        #expect(value.text() == "{\"é\":[1.50,\"😀\u{7F}/\\u0001\\\"\\\\\\n\"],\"b\":true}")
        #expect(
            value.text(.python)
                == #"{"\u00e9": [1.50, "\ud83d\ude00\#u{7F}/\u0001\"\\\n"], "b": true}"#)
    }

    @Test func `takes the last of duplicate keys`() throws {
        #expect(try value(#"{"a":1,"a":2}"#)["a"] == .number("2"))
        #expect(try value("[]")["a"] == nil)
    }
}
