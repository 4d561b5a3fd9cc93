import Testing

@testable import OpenRosa

@Suite struct XMLTextTests {
    @Test func `lays out`() {
        let source =
            "<?xml version='1.0'?>\n<a  z='1' b=\"é > 2\"><!-- it's --><b>x &amp; y</b><c/><d></d>\n\n<e>one <f>two</f>\n</e><g> </g><h><![CDATA[<]]></h></a>"
        #expect(
            XMLText.pretty(Array(source.utf8), maxBytes: 1000) == """
                <?xml version='1.0'?>
                <a  z='1' b="é > 2">
                  <!-- it's -->
                  <b>x &amp; y</b>
                  <c/>
                  <d></d>
                  <e>one <f>two</f>
                </e>
                  <g> </g>
                  <h><![CDATA[<]]></h>
                </a>
                """)
    }

    @Test func `cuts what is too long, between characters`() {
        let source = "<a><b>\(String(repeating: "é", count: 100))</b></a>"
        let pretty = XMLText.pretty(Array(source.utf8), maxBytes: 30)
        #expect(pretty == "<a>\n  <b>\(String(repeating: "é", count: 10))\n… cut after 29 bytes")
    }

    @Test(arguments: ["", "x", "<a>", "<a></b>", "<!DOCTYPE a><a/>"])
    func `refuses what is not well formed`(text: String) {
        #expect(XMLText.pretty(Array(text.utf8), maxBytes: 100) == nil)
    }

    @Test func `laid out again it stays, and means the same`() {
        for document in XMLStreamTests.documents {
            guard let once = XMLText.pretty(Array(document.utf8), maxBytes: 10_000) else {
                continue
            }
            #expect(XMLText.pretty(Array(once.utf8), maxBytes: 10_000) == once)
            #expect(read(once).error == nil)
        }
    }

    @Test func `other encodings`() {
        let bytes =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9]
            + Array("</a>".utf8)
        #expect(XMLText.pretty(bytes, maxBytes: 100)?.hasSuffix("<a>é</a>") == true)
    }
}
