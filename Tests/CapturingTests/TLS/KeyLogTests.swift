import Testing
import Wire

@testable import Capturing

@Suite("A key log")
struct KeyLogTests {
    private static let random = String(repeating: "0a", count: 32)
    private static let master = String(repeating: "B7", count: 48)
    private static let secret = String(repeating: "c1", count: 32)

    @Test func `is read with comments, empty lines and carriage returns`() {
        var keys = KeyLog()
        keys.append(
            """
            # SSL/TLS secrets log file\r
            \r
            CLIENT_RANDOM \(Self.random) \(Self.master)\r
            CLIENT_HANDSHAKE_TRAFFIC_SECRET \(Self.random) \(Self.secret)
            SERVER_TRAFFIC_SECRET_0 \(Self.random) \(Self.secret)
            EXPORTER_SECRET \(Self.random) \(Self.secret)
            CLIENT_EARLY_TRAFFIC_SECRET \(Self.random) \(Self.secret)
            """, from: "keys.txt")
        #expect(keys.mistakes.isEmpty)
        #expect(keys.sessionCount == 1)
        let secrets = keys[Array(repeating: 10, count: 32)]
        #expect(secrets?.master == Array(repeating: 0xB7, count: 48))
        #expect(secrets?.handshake == [.client: Array(repeating: 0xC1, count: 32)])
        #expect(secrets?.application == [.server: Array(repeating: 0xC1, count: 32)])
        #expect(keys[Array(repeating: 11, count: 32)] == nil)
    }

    @Test func `grows by another text`() {
        var keys = KeyLog()
        keys.append("CLIENT_RANDOM \(Self.random) \(Self.master)\n", from: "a")
        keys.append(
            "CLIENT_TRAFFIC_SECRET_0 \(Self.random) \(Self.secret)\n", from: "b")
        let secrets = keys[Array(repeating: 10, count: 32)]
        #expect(secrets?.master != nil)
        #expect(secrets?.application[.client] != nil)
    }

    @Test(arguments: [
        ("CLIENT_RANDOM \(random)", "2 words; it has to be LABEL CLIENT-RANDOM SECRET"),
        ("CLIENT_RANDOM \(random) \(secret)", "a secret of 32 bytes"),
        ("CLIENT_TRAFFIC_SECRET_0 \(random) \(secret)00", "a secret of 33 bytes"),
        ("CLIENT_RANDOM 0a0b \(master)", "a client random that is not 64 hexadecimal digits"),
        ("CLIENT_RANDOM \(random) \(secret)0", "a secret that is not hexadecimal"),
        ("CLIENT_RANDOM \(random) zz", "a secret that is not hexadecimal"),
        ("SOMETHING \(random) \(secret)", "an unknown label"),
        ("\u{0}\u{1}\u{2}", "1 words; it has to be LABEL CLIENT-RANDOM SECRET"),
    ])
    func `says what is wrong with a line, and where`(line: String, reason: String) {
        var keys = KeyLog()
        keys.append("# first\n\(line)\n", from: "keys.txt")
        #expect(keys.mistakes.map(\.description) == ["keys.txt:2: \(reason)"])
        #expect(keys.sessionCount == 0)
    }

    @Test func `counts all mistakes and keeps the first`() {
        var keys = KeyLog()
        keys.append(String(repeating: "x\n", count: 50), from: "keys.txt")
        #expect(keys.mistakeCount == 50)
        #expect(keys.mistakes.count == KeyLog.mistakeLimit)
        let long = String(repeating: "x", count: KeyLog.lineLimit + 1)
        var other = KeyLog()
        other.append(long, from: "keys.txt")
        #expect(other.mistakes.first?.reason == "a line of 1025 bytes; it may have at most 1024")
    }
}
