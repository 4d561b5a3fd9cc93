import Replaying
import Testing

struct IgnoreRuleTests {
    @Test(arguments: [
        "json:/objects/*/modified", "xml://case/@date_modified", "header:x-request-id",
        "query:nonce", "/data/*/at", "json:/a~1b/m~0n",
    ])
    func `reads what it writes`(text: String) throws {
        #expect(try IgnoreRule(parsing: text).description == text)
    }

    @Test(
        arguments: [
            ("nonce", .unknownKind("nonce")), ("cookie:a", .unknownKind("cookie:a")),
            ("header:", .nothingNamed("header:")), ("json:a/b", .noPath("a/b")),
            ("/a//b", .noPath("/a//b")), ("/", .noPath("/")), ("", .unknownKind("")),
        ] as [(String, IgnoreRuleError)])
    func `refuses`(text: String, error: IgnoreRuleError) {
        #expect(throws: error) { try IgnoreRule(parsing: text) }
        #expect(!error.description.contains("\n"))
    }

    @Test(arguments: [
        ("/a/b", ["a", "b"], true), ("/a/b", ["a"], false), ("/a/b", ["x", "a", "b"], false),
        ("//b", ["a", "b"], true), ("//a/b", ["x", "a", "b"], true), ("//a/b", ["b"], false),
        ("/a/*/c", ["a", "7", "c"], true), ("/a/*", ["a", "b", "c"], false),
        ("//*", ["a"], true), ("/a~1b", ["a/b"], true), ("/~01", ["~1"], true),
        ("/x~", ["x~"], true),
    ])
    func `matches places`(pattern: String, path: [String], expected: Bool) throws {
        #expect(try #require(PathPattern(pattern)).matches(path) == expected)
    }
}
