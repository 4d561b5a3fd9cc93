import Testing

@testable import Control

@Suite struct PercentCodingTests {
    @Test(arguments: ["a", "no history", "ä/ö?#%", "..", "😀", "a+b"])
    func `gives back what was encoded`(text: String) {
        let encoded = PercentCoding.encoded(text)
        #expect(encoded.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2F && $0 != 0x3F })
        #expect(PercentCoding.decoded(encoded) == text)
    }

    @Test(arguments: ["%", "%4", "%zz", "%+1", "%ff", "a%"])
    func `refuses what is not encoded`(text: String) {
        #expect(PercentCoding.decoded(text) == nil)
    }
}
