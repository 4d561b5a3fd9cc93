import Notation
import Testing

@testable import OpenRosa

/// Edits of XML by a path.
struct XMLPathTests {
    private static let document = """
        <?xml version="1.0"?>
        <!-- <a>no</a> -->
        <r:data xmlns:r="http://r" version='1'>
          <n0:case xmlns:n0="http://c" case_id="a" user_id = 'u'><create><name>One</name></create></n0:case>
          <case case_id="b&amp;c"><name/>text<name><![CDATA[<x>]]></name></case>
          <meta><name>1 > 0</name></meta>
        </r:data>

        """

    private func edited(_ path: String, _ value: String = "NEW") throws -> String {
        let bytes = try XMLPath(path).setting(value, in: Array(Self.document.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("/data/case[1]/create/name", ["<name>One</name>"]),
        ("/r:data/n0:case/create/name/text()", ["<name>One</name>"]),
        (
            "//name",
            ["<name>One</name>", "<name/>", "<name><![CDATA[<x>]]></name>", "<name>1 > 0</name>"]
        ),
        ("//case/name[2]", ["<name><![CDATA[<x>]]></name>"]),
        ("//name[1]", ["<name>One</name>", "<name/>", "<name>1 > 0</name>"]),
        ("/data//name[1]", ["<name>One</name>", "<name/>", "<name>1 > 0</name>"]),
        ("/*/meta/*", ["<name>1 > 0</name>"]),
        ("//case[@case_id='b&c']/name[1]", ["<name/>"]),
        ("//case[2][@case_id='b&c']/name[1]", ["<name/>"]),
        ("//case[@user_id]", []), ("//case[@case_id='a'][2]/name", []), ("/case", []),
        ("/data/name", []), ("//c:case/create/name", []), ("/data[2]//name", []),
    ])
    func `elements whose text is replaced`(path: String, places: [String]) throws {
        guard !places.isEmpty else {
            #expect(throws: (any Error).self) { try edited(path) }
            return
        }
        var expected = Self.document
        for place in places {
            expected = expected.replacing(place, with: "<name>NEW</name>", maxReplacements: 1)
        }
        #expect(try edited(path) == expected)
    }

    @Test(arguments: [
        ("/data/@version", "version='1'", "version='NEW'"),
        ("//case/@user_id", "user_id = 'u'", "user_id = 'NEW'"),
        ("//case[2]/@case_id", "case_id=\"b&amp;c\"", "case_id=\"NEW\""),
    ])
    func `attributes`(path: String, place: String, other: String) throws {
        #expect(try edited(path) == Self.document.replacing(place, with: other))
    }

    @Test func `what means something in XML is written as a reference`() throws {
        let edited = try XMLPath("//b/@c").setting("<'&\"\n>", in: Array("<a><b c='x'/></a>".utf8))
        #expect(
            String(decoding: edited, as: UTF8.self)
                == "<a><b c='&lt;&#39;&amp;&quot;&#10;&gt;'/></a>")
        let latin = Array("<?xml version='1.0' encoding='latin1'?><a>".utf8) + [0xE9] + "</a>".utf8
        let other = try XMLPath("/a").setting("é", in: latin)
        #expect(other.elementsEqual(latin.prefix(42) + "&#233;</a>".utf8))
    }

    @Test(arguments: [
        "", "a", "/", "//", "/a/", "/a[", "/a[0]", "/a[-1]", "/a[x]", "/a[@b]", "/a[@b=c]",
        "/a[@b='c]",
        "/a[1", "/@a", "//@a", "/a//@b", "/a/@", "/a/@b/c", "/a:b:c", "/:a", "/a b", "/a/text()/b",
        "/a[99999999999999999999]", String(repeating: "/a", count: 31),
        "/a" + String(repeating: "[1]", count: 31),
    ])
    func `a path that is none`(text: String) {
        #expect(throws: XMLPath.Mistake.self) { try XMLPath(text) }
    }

    @Test(arguments: ["", "x", "<a>", "<a/><b/>", "<!DOCTYPE a><a/>", "<a>&x;</a>"])
    func `what is no document is refused`(text: String) throws {
        let path = try XMLPath("/a")
        #expect(throws: XMLPath.EditError.self) { try path.setting("x", in: Array(text.utf8)) }
    }

    /// Whatever comes, an edit ends, and what it makes is well-formed.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `damaged documents`(seed: UInt64) throws {
        var draws = SplitMix64(seed: seed)
        var bytes = Array(Self.document.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &draws) {
            let place = Int.random(in: bytes.indices, using: &draws)
            switch Int.random(in: 0...2, using: &draws) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &draws)
            case 1: bytes.remove(at: place)
            default: bytes.insert(contentsOf: "<'\"/>&".utf8.shuffled(using: &draws), at: place)
            }
        }
        let paths = ["//name", "/*/*[2]/@case_id", "//case/name[2]", "//*[@case_id='a']//name"]
        let path = try XMLPath(paths[Int(seed % 4)])
        guard let once = try? path.setting("value", in: bytes) else { return }
        let twice = try path.setting("value", in: once)
        #expect(twice == once)
    }

    @Test func `many matches take linear time`() throws {
        let text = "<a>" + String(repeating: "<b c='1'>x</b>", count: 50_000) + "</a>"
        let edited = try XMLPath("//b").setting("y", in: Array(text.utf8))
        #expect(String(decoding: edited, as: UTF8.self) == text.replacing(">x<", with: ">y<"))
    }
}
