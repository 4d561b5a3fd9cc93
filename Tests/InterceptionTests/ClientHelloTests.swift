import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import Interception

struct ClientHelloTests {
    /// What a client sends first, as NIOSSL makes it: not ours.
    static func bytes(
        host: String? = "api.example.com", _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> [UInt8] {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["h2", "http/1.1"]
        change(&configuration)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(
                context: NIOSSLContext(configuration: configuration), serverHostname: host))
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        var hello = try #require(try channel.readOutbound(as: ByteBuffer.self))
        return hello.readBytes(length: hello.readableBytes) ?? []
    }

    /// One hello for all that damage it; making one reads the system's authorities.
    static let sample = Result { try bytes() }

    /// The handshake inside, cut into records of at most `size` bytes.
    static func fragmented(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes.dropFirst(5)
        while !rest.isEmpty {
            let part = rest.prefix(size)
            result += bytes.prefix(3) + [UInt8(part.count >> 8), UInt8(part.count & 255)] + part
            rest = rest.dropFirst(size)
        }
        return result
    }

    @Test func `reads what a client offers`() throws {
        let bytes = try Self.bytes()
        guard case .hello(let hello) = ClientHello.parse(bytes.span) else {
            Issue.record("not read")
            return
        }
        #expect(hello.serverName == "api.example.com")
        #expect(hello.protocols == ["h2", "http/1.1"])
        #expect(hello.versions.contains(0x0304))
        #expect(hello.versions.contains(0x0303))
        #expect(hello.cipherSuites.contains(0x1301))
        #expect(hello.recordVersion == 0x0301)
        #expect(hello.detail.contains("TLS 1.3"))
        #expect(hello.detail.contains("server name api.example.com"))
    }

    @Test func `reads a client of TLS 1-2 without server name`() throws {
        let bytes = try Self.bytes(host: nil) {
            $0.maximumTLSVersion = .tlsv12
            $0.applicationProtocols = []
            $0.cipherSuites = "ECDHE-RSA-AES128-GCM-SHA256"
        }
        guard case .hello(let hello) = ClientHello.parse(bytes.span) else {
            Issue.record("not read")
            return
        }
        #expect(hello.serverName == nil)
        #expect(hello.versions.first == 0x0303)
        #expect(hello.protocols.isEmpty)
        #expect(hello.cipherSuites == [0xC02F])
        #expect(hello.detail.contains("1 cipher suite"))
    }

    @Test(arguments: [1 << 14, 100, 7, 1])
    func `asks for more until the last byte, however the records are cut`(size: Int) throws {
        let whole = try Self.bytes()
        let bytes = Self.fragmented(whole, size)
        for count in 0..<bytes.count {
            #expect(ClientHello.parse(Array(bytes.prefix(count)).span) == .needMore)
        }
        #expect(ClientHello.parse(bytes.span) == ClientHello.parse(whole.span))
        // What follows the message is somebody else's.
        #expect(ClientHello.parse((bytes + [1, 2, 3]).span) == ClientHello.parse(whole.span))
    }

    @Test(
        arguments: [
            Array("GET / HTTP/1.1".utf8), [0], [22, 2], [0x80, 0x2E, 1], Array("h:0".utf8),
        ] as [[UInt8]])
    func `knows what is not TLS`(bytes: [UInt8]) {
        #expect(ClientHello.parse(bytes.span) == .notTLS)
    }

    @Test(
        arguments: [
            ([22, 3, 1, 0, 0], 3, "record of 0 bytes"),
            ([22, 3, 1, 0xFF, 0xFF], 3, "record of 65535 bytes"),
            ([22, 3, 1, 0, 4, 2], 5, "handshake message of type 2 comes first"),
            ([22, 3, 1, 0, 4, 1, 1, 0, 1], 6, "hello of 65537 bytes"),
            ([22, 3, 1, 0, 1, 1, 23], 6, "record of type 23 within a handshake"),
            ([22, 3, 1, 0, 1, 1, 22, 9], 7, "record of unknown version"),
            ([22, 3, 1, 0, 4, 1, 0, 0, 0], 9, "version cut short"),
            ([22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3], 11, "random cut short"),
        ] as [([UInt8], Int, String)])
    func `says where a hello is malformed`(bytes: [UInt8], offset: Int, reason: String) {
        #expect(
            ClientHello.parse(bytes.span) == .malformed(offset: offset, reason: reason))
    }

    @Test func `makes a hostile server name printable`() throws {
        let bytes = try Self.bytes(host: "a.example")
        let name = Array("a.example".utf8)
        let start = try #require(
            (0...bytes.count - name.count).first { Array(bytes[$0..<$0 + name.count]) == name })
        var hostile = bytes
        hostile.replaceSubrange(start..<start + 4, with: [0, 0x1B, 0xFF, 0x5C])
        guard case .hello(let hello) = ClientHello.parse(hostile.span) else {
            Issue.record("not read")
            return
        }
        #expect(hello.serverName == #"\x00\x1b\xff\x5cample"#)
        #expect(throws: InterceptionError(.badHost, "")) { try HostName(hello.serverName ?? "") }
    }

    @Test(arguments: 0..<80 as Range<UInt64>)
    func `survives any damage, and sees the same of it byte by byte`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var bytes = Self.fragmented(try Self.sample.get(), Int.random(in: 1...600, using: &random))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        let whole = ClientHello.parse(bytes.span)
        var growing = ClientHello.Result.needMore
        for count in 0...bytes.count {
            growing = ClientHello.parse(Array(bytes.prefix(count)).span)
            if growing != .needMore { break }
        }
        #expect(growing == whole)
    }
}

/// Numbers that a seed decides.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
