import Capturing
import Testing

@Suite("Addresses are written as people write them")
struct IPAddressTests {
    @Test(
        arguments: [
            (0, 0, "::"), (0, 1, "::1"), (0x2001_0DB8_0000_0000, 0, "2001:db8::"),
            (0x2001_0DB8_0000_0001, 0x0001_0001_0001_0001, "2001:db8:0:1:1:1:1:1"),
            (0x2001_0000_0000_0001, 0x0000_0000_0000_0001, "2001:0:0:1::1"),
            (0xFE80_0000_0000_0000, 0x0202_B3FF_FE1E_8329, "fe80::202:b3ff:fe1e:8329"),
        ] as [(UInt64, UInt64, String)])
    func version6(high: UInt64, low: UInt64, text: String) {
        #expect(IPAddress(version6: high, low).description == text)
        #expect(Endpoint(IPAddress(version6: high, low), 80).description == "[\(text)]:80")
    }

    @Test func version4() {
        let address = IPAddress(version4: 0x7F00_0001)
        #expect(Endpoint(address, 8080).description == "127.0.0.1:8080")
    }
}
