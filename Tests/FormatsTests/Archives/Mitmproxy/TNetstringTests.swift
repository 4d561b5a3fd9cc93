import Testing

@testable import Formats

@Suite("Typed netstrings") struct TNetstringTests {
    private func parsed(_ text: String) throws -> TNetstring {
        var bytes = Array(text.utf8)[...]
        let value = try TNetstring(parsing: &bytes)
        #expect(bytes.isEmpty)
        return value
    }

    @Test func `reads every kind of value`() throws {
        #expect(try parsed("5:hello,").string == "hello")
        #expect(try parsed("6:Grü\u{df};").string == "Grüß")
        #expect(try parsed("2:-7#").integer == -7)
        #expect(try parsed("20:-9223372036854775808#").integer == .min)
        #expect(try parsed("3:1.5^").number == 1.5)
        #expect(try parsed("2:17#").number == 17)
        #expect(try parsed("4:true!").boolean == true)
        #expect(try parsed("5:false!").boolean == false)
        #expect(try parsed("0:~").kind == .null)
        #expect(try parsed("8:1:1#1:2#]").values(atMost: 9).map(\.integer) == [1, 2])
        #expect(try parsed("0:]").values(atMost: 9).isEmpty)
    }

    @Test func `finds values by their keys, the last of several`() throws {
        let value = try parsed("31:1:a;1:1#1:b,1:2#1:a;1:3#1:c;0:~}")
        #expect(try value.value("a")?.integer == 3)
        #expect(try value.value("b")?.integer == 2)
        #expect(try value.value("c") == nil)
        #expect(try value.value("d") == nil)
    }

    @Test func `what is of another kind is nothing`() throws {
        let value = try parsed("1:1#")
        #expect(value.string == nil)
        #expect(value.boolean == nil)
        #expect(try parsed("1:x,").integer == nil)
        #expect(try parsed("1:x#").integer == nil)
        #expect(try parsed("3:inf^").number == nil)
        #expect(try parsed("3:yes!").boolean == nil)
        #expect(throws: TNetstring.Mistake.self) { try value.values(atMost: 1) }
        #expect(throws: TNetstring.Mistake.self) { try value.value("a") }
    }

    @Test(arguments: [
        ("", 0), (":", 0), ("5", 0), ("x:", 0), ("-1:a,", 0), ("5:hell", 0), ("5:hello", 0),
        ("5:hello?", 7), ("9999999999999:a,", 0), ("999999999999:a,", 0),
    ])
    func `says where it is wrong`(text: String, offset: Int) throws {
        var bytes = Array(text.utf8)[...]
        let mistake = #expect(throws: TNetstring.Mistake.self) {
            try TNetstring(parsing: &bytes)
        }
        #expect(mistake?.offset == offset)
    }

    @Test func `goes as deep as it is asked to, without a stack`() throws {
        var text = "0:]"
        for _ in 0..<2_000 { text = "\(text.utf8.count):\(text)]" }
        var value = try parsed(text)
        var depth = 0
        while let inner = try value.values(atMost: 1).first {
            value = inner
            depth += 1
        }
        #expect(depth == 2_000)
    }
}
