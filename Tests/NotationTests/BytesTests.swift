import Foundation
import Notation
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `gives the vectors of RFC 4648`(text: String, base64: String) {
        #expect(Base64.encode(text.utf8) == base64)
        #expect(Base64.decode(base64.utf8) == Array(text.utf8))
    }

    @Test func `agrees with Foundation`() {
        var random = SplitMix64(seed: 1)
        let alphabet = Array("AQgwz09+/= \n".utf8)
        for round in 0..<4_000 {
            let bytes = (0..<round % 70).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text.utf8) == bytes)
            let noise = (0..<round % 9).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let foundation = Data(base64Encoded: Data(noise)).map { [UInt8]($0) }
            // Foundation reads some texts whose padding is wrong.
            if let decoded = Base64.decode(noise) { #expect(decoded == foundation) }
        }
    }

    @Test(
        arguments: [
            ("YQ", Base64.Leniency.unpadded, "a"), ("YQ", [], nil), ("YQ===", .unpadded, nil),
            ("Y", .unpadded, nil), ("YQ=a", .unpadded, nil), ("YW\r\n Jj", .whitespace, "abc"),
            ("YWJj\n", [], nil), ("fn5-", .urlAlphabet, "~~~"), ("fn5-", [], nil),
            ("Y!Q=", [.unpadded, .urlAlphabet, .whitespace], nil),
        ] as [(String, Base64.Leniency, String?)])
    func `is as lenient as asked`(text: String, leniency: Base64.Leniency, plain: String?) {
        #expect(Base64.decode(text.utf8, leniency) == plain.map { Array($0.utf8) })
    }
}

@Suite struct HexadecimalTests {
    @Test func `bytes come back`() {
        let all = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.text(all)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.decode(text.utf8) == all)
        #expect(Hexadecimal.decode(Hexadecimal.text(all, isUppercase: true).utf8) == all)
    }

    @Test(arguments: ["0", "0g", "+1", "0x00", " 00"])
    func `nothing else is read`(text: String) { #expect(Hexadecimal.decode(text.utf8) == nil) }

    @Test func `numbers have as many digits as asked, or more`() {
        #expect(Hexadecimal.text(0xAB, digits: 4) == "00ab")
        #expect(Hexadecimal.text(0x12345, digits: 4) == "12345")
        #expect(Hexadecimal.text(UInt64.max, digits: 16) == "ffffffffffffffff")
    }
}

@Suite struct PercentEncodingTests {
    @Test(arguments: ["a", "no history", "ä/ö?#%", "..", "😀", "a+b"])
    func `gives back what was encoded`(text: String) {
        let encoded = PercentEncoding.encode(text)
        #expect(encoded.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2F && $0 != 0x3F })
        #expect(encoded.removingPercentEncoding == text)
        #expect(PercentEncoding.decodeStrictly(encoded.utf8) == Array(text.utf8))
        #expect(PercentEncoding.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test(arguments: ["%", "%4", "%zz", "%+1", "a%", "%%41"])
    func `an escape that cannot be read is refused or stays`(text: String) {
        #expect(PercentEncoding.decodeStrictly(text.utf8) == nil)
        #expect(
            PercentEncoding.decode(text.utf8)
                == Array(text.replacing("%41", with: "A").utf8))
    }

    @Test func `agrees with Foundation on what stays`() {
        let all = String(decoding: (0x21..<0x7F).map { UInt8($0) }, as: UTF8.self) + " \t\u{7F}é"
        for (kept, foundation) in [
            (ASCIISet.unreserved, "-._~"), (.path, "-._~/"), (.form, "*-._"),
            (.delta, " !#$&'()*+,-./:;=?@_~"),
        ] {
            let allowed = CharacterSet(
                charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                    + foundation)
            #expect(
                PercentEncoding.encode(all, keeping: kept)
                    == all.addingPercentEncoding(withAllowedCharacters: allowed))
        }
        #expect(PercentEncoding.encode("a \u{1}é~", keeping: .visible) == "a%20%01%C3%A9~")
        #expect(PercentEncoding.encode("a \u{1}é~", keeping: .all) == "a \u{1}%C3%A9~")
    }
}

@Suite struct FormFieldTests {
    @Test func `a query is read as forms write it`() {
        let fields = FormField.parse("a=1&b=%63+d&a=2&=x&e&f=%4&&".utf8)
        #expect(fields.all("a") == ["1", "2"])
        #expect(fields.first("a") == "1")
        #expect(fields.last("a") == "2")
        #expect(fields.first("b") == "c d")
        #expect(fields.first("") == "x")
        #expect(fields.first("e") == "")
        #expect(fields.first("f") == "%4")
        #expect(fields.first("g") == nil)
        #expect(FormField.parse("a=1&b=2&c=3".utf8, limit: 2).map(\.name) == ["a", "b"])
    }

    @Test(arguments: ["", "a b", "ä&ö=1+1", "%41", "\u{0}"])
    func `comes back as written`(text: String) {
        let field = FormField(text, text)
        #expect(FormField.parse(field.text.utf8) == [field])
    }
}

@Suite struct BasicCredentialsTests {
    /// RFC 7617, sections 2 and 2.1.
    @Test func `reads the examples of RFC 7617`() {
        let aladdin = BasicCredentials(authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(aladdin == BasicCredentials(user: "Aladdin", password: "open sesame"))
        #expect(BasicCredentials(authorization: "Basic dGVzdDoxMjPCow==")?.password == "123£")
        #expect(aladdin?.authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test(
        arguments: [
            ("basic YTpiOmM", "a", "b:c"), ("BASIC YTo=", "a", ""), ("Basic  YTpi", "a", "b"),
        ])
    func `is read as servers do`(text: String, user: String, password: String) {
        #expect(
            BasicCredentials(authorization: text)
                == BasicCredentials(user: user, password: password))
    }

    @Test(arguments: ["", "Basic", "Basic YQ==", "Basic OmI=", "Bearer YTpi", "Basic !"])
    func `nothing else is read`(text: String) {
        #expect(BasicCredentials(authorization: text) == nil)
    }
}
