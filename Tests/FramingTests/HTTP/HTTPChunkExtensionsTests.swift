import Testing

@testable import Framing

@Suite struct HTTPChunkExtensionsTests {
    @Test(arguments: [
        ("a", true), (" a ", true), ("a=b", true), ("a = b ; c", true), ("a=\"b;\\\"c\"", true),
        ("a=\"\u{FF}\t\"", true), ("a;b;c=1", true),
        ("", false), (" ", false), ("a;", false), ("a=", false), ("=b", false), ("a b", false),
        ("a=b c", false), ("a=\"b", false), ("a=\"b\\", false), ("a=\"b\"c", false),
        ("a=\"\u{1}\"", false), ("a\0", false), ("a=\u{E9}", false), ("a==b", false),
    ])
    func `keep the grammar or break it`(text: String, isValid: Bool) {
        var extensions = HTTPChunkExtensions()
        for scalar in text.unicodeScalars {
            extensions.take(UInt8(truncatingIfNeeded: scalar.value))
        }
        #expect(extensions.isValid == isValid)
    }
}
