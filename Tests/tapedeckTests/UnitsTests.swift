import Notation
import Testing

@testable import tapedeck

@Suite struct UnitsTests {
    @Test(
        arguments: [
            ("512", 512), ("1KiB", 1024), ("1k", 1024), ("1KB", 1000), ("1.5MiB", 1_572_864),
            ("2GB", 2_000_000_000),
        ] as [(String, Int64)])
    func `reads sizes`(text: String, bytes: Int64) {
        #expect(ByteCount(argument: text)?.bytes == bytes)
    }

    @Test(arguments: ["", "x", "-1", "0", "1XB", "99999999999999GB"])
    func `refuses what is no size`(text: String) {
        #expect(ByteCount(argument: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (1234, "1.2 KB"), (123_456, "123 KB"),
            (1_000_000_000, "1.0 GB"),
        ] as [(Int64, String)])
    func `writes sizes`(bytes: Int64, text: String) {
        #expect(ByteCount.text(bytes) == text)
    }

    @Test(
        arguments: [
            ("500ms", 500_000_000), ("2s", 2_000_000_000), ("1m", 60_000_000_000),
            ("1d", 86_400_000_000_000),
        ] as [(String, Int64)])
    func `reads times`(text: String, nanoseconds: Int64) {
        #expect(TimeSpan(argument: text)?.nanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            (350_000, "350 µs"), (40_900_000, "40 ms"), (999_000_000, "999 ms"),
            (1_000_000_000, "1 s"), (4_057_000_000, "4 s"), (4_157_000_000, "4.1 s"),
            (12_900_000_000, "12 s"),
        ] as [(Int64, String)])
    func `writes times`(nanoseconds: Int64, text: String) {
        #expect(TimeSpan.text(nanoseconds) == text)
    }

    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), (":9", "127.0.0.1", 9), ("0", "127.0.0.1", 0),
        ("[::1]:80", "::1", 80), ("localhost:1", "localhost", 1),
    ])
    func `reads addresses`(text: String, host: String, port: Int) {
        let address = ListenAddress(argument: text)
        #expect(address?.host == host)
        #expect(address?.port == port)
    }

    @Test(arguments: ["host", "host:99999", "1:2:3", "70000"])
    func `refuses what is no address`(text: String) {
        #expect(ListenAddress(argument: text) == nil)
    }

    @Test func `keeps what could steer a terminal away from it`() {
        #expect(BodyText.clean("a\r\nb\tc\u{1B}[0m\r") == "a\nb\tc\u{FFFD}[0m")
        #expect(ListLine.clean("a\nb\u{202E}") == "a\u{FFFD}b\u{FFFD}")
    }

    @Test func `writes JSON strings`() {
        #expect(JSONString.quoted("a\"\\\n\u{1}é😀") == #""a\"\\\n\u0001é😀""#)
    }
}
