import Testing

@testable import Proxying

/// Names that are answered with addresses that stand for them.
@Suite struct NamesTests {
    /// A question for the address (1) or something else of `shop.test`.
    private static func question(_ kind: UInt8 = 1) -> [UInt8] {
        [0xAB, 0xCD, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4] + Array("Shop".utf8) + [4]
            + Array("test".utf8) + [0, 0, kind, 0, 1]
    }

    @Test func `a question is read and answered`() throws {
        let query = try #require(DNSQuery(Self.question()))
        #expect(query.name == "Shop.test" && query.kind == .address)
        let answer = query.answer([198, 18, 1, 0])
        #expect(answer.prefix(12) == [0xAB, 0xCD, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
        #expect(answer.suffix(16) == [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 198, 18, 1, 0])
        #expect(query.unknown.prefix(12) == [0xAB, 0xCD, 0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    @Test func `of other kinds there is nothing, and what follows the question is left out`() throws
    {
        let query = try #require(
            DNSQuery(Self.question(16) + [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]))
        #expect(query.kind == .other)
        #expect(query.answer(nil).count == Self.question().count)
        #expect(query.answer(nil)[7] == 0)
    }

    @Test func `an IPv6 address is answered, too`() throws {
        let query = try #require(DNSQuery(Self.question(28)))
        #expect(query.kind == .address6)
        let address = [UInt8](1...16)
        #expect(
            query.answer(address).suffix(28) == [0xC0, 12, 0, 28, 0, 1, 0, 0, 0, 1, 0, 16] + address
        )
    }

    @Test func `what is no question is left out`() {
        let whole = Self.question()
        for end in whole.indices { #expect(DNSQuery(Array(whole[..<end])) == nil) }
        for place in whole.indices {
            for value in [0, 1, 0x3F, 0x7F, 0xC0, 0xFF] as [UInt8] {
                var damaged = whole
                damaged[place] = value
                _ = DNSQuery(damaged)?.answer([1, 2, 3, 4])
            }
        }
        var answer = whole
        answer[2] = 0x81
        #expect(DNSQuery(answer) == nil)
    }

    @Test func `a name has one address, which leads back to it`() {
        let table = NameTable()
        #expect(table.address(for: "a.test") == [198, 18, 1, 0])
        #expect(table.address(for: "b.test") == [198, 18, 1, 1])
        #expect(table.address(for: "A.test") == [198, 18, 1, 0])
        #expect(table.name(of: "198.18.1.1") == "b.test")
        let address6 = table.address6(for: "b.test") ?? []
        #expect(AddressText.text(address6) == "fd74:6170:6564:0:0:0:c612:101")
        #expect(table.name(of: AddressText.text(address6)) == "b.test")
        for address in [
            "198.18.1.2", "198.18.0.1", "10.0.0.1", "::1", "b.test", "fd74:6170:6564::1",
            "::c612:101",
        ] {
            #expect(table.name(of: address) == nil)
        }
    }

    @Test(
        arguments: [
            ("1.2.3.4", [1, 2, 3, 4]), ("[::1]", Array(repeating: 0, count: 15) + [1]),
        ] as [(String, [UInt8])])
    func `addresses are read and written`(text: String, bytes: [UInt8]) {
        #expect(AddressText.bytes(text) == bytes)
        #expect(AddressText.bytes(AddressText.text(bytes)) == bytes)
    }
}
