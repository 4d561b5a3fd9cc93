import Testing

@testable import tapedeck

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:7399", "127.0.0.1", 7399, true), ("127.0.0.1:7399", "localhost", 7399, true),
        ("localhost:7399", "127.0.0.1", 7399, true), ("0.0.0.0:7399", "127.0.0.1", 7399, true),
        ("127.0.0.1:7399", "127.0.0.1", 7400, false), ("127.0.0.1:0", "127.0.0.1", 0, false),
        ("127.0.0.1:80", "127.0.0.2", 80, false), ("127.0.0.1:80", "example.org", 80, false),
        ("0.0.0.0:80", "example.org", 80, false),
    ])
    func `knows its own address`(own: String, host: String, port: Int, isOwn: Bool) throws {
        #expect(try #require(ListenAddress(argument: own)).reaches(host, port) == isOwn)
    }

    @Test func `prints addresses for other machines only where they can connect`() {
        #expect(LocalAddresses.lines(listening: "127.0.0.1", port: 1).isEmpty)
        #expect(LocalAddresses.lines(listening: "localhost", port: 1).isEmpty)
        let lines = LocalAddresses.lines(listening: "0.0.0.0", port: 4711)
        #expect(lines.count == 1)
        #expect(lines[0].contains(":4711") != lines[0].contains("no network"))
        #expect(!lines[0].contains("127.0.0.1"))
    }
}
