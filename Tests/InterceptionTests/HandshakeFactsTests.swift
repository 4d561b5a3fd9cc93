import Testing

@testable import Interception

@Suite struct HandshakeFactsTests {
    /// A record with a ServerHello.
    private func hello(
        suite: [UInt8], version: [UInt8]? = nil, random: [UInt8] = Array(repeating: 7, count: 32)
    ) -> [UInt8] {
        let chosen = version.map { [0, 43, 0, 2] + $0 } ?? []
        let extensions = [0, 51, 0, 1, 9] + chosen
        let body =
            [3, 3] + random + [2, 1, 1] + suite + [0, 0, UInt8(extensions.count)] + extensions
        let message = [2, 0, 0, UInt8(body.count)] + body
        return [0x16, 3, 3, 0, UInt8(message.count)] + message
    }

    /// The result of bytes that come one by one, which that of all at once has to be.
    private func facts(_ bytes: [UInt8]) -> HandshakeFacts {
        var whole = HandshakeFacts()
        whole.consume(bytes.span)
        var single = HandshakeFacts()
        for byte in bytes { single.consume([byte].span) }
        #expect(single.version == whole.version && single.cipher == whole.cipher)
        return whole
    }

    @Test func `reads version and cipher suite`() {
        let modern = facts(hello(suite: [0x13, 0x02], version: [3, 4]) + [0x17, 3, 3, 0, 1, 0])
        #expect(modern.version == "TLS 1.3" && modern.cipher == "TLS_AES_256_GCM_SHA384")
        let older = facts(hello(suite: [0xC0, 0x2B]))
        #expect(
            older.version == "TLS 1.2" && older.cipher == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        #expect(facts(hello(suite: [0xAB, 0xCD])).cipher == "0xabcd")
    }

    @Test func `passes over a request for another hello`() {
        let retry: [UInt8] = [
            0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65,
            0xB8, 0x91, 0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2,
            0xC8, 0xA8, 0x33, 0x9C,
        ]
        let bytes =
            hello(suite: [0x13, 0x01], version: [3, 4], random: retry) + [0x14, 3, 3, 0, 1, 1]
            + hello(suite: [0x13, 0x03], version: [3, 4])
        #expect(facts(bytes).cipher == "TLS_CHACHA20_POLY1305_SHA256")
    }

    @Test func `anything else says nothing`() {
        let whole = hello(suite: [0x13, 0x01], version: [3, 4])
        for end in whole.indices {
            #expect(facts(Array(whole[..<end])).version == nil)
            var damaged = whole
            damaged[end] ^= 0xFF
            _ = facts(damaged)
        }
        #expect(facts(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)).version == nil)
        #expect(facts(Array(repeating: 0x16, count: 20_000)).version == nil)
    }
}
