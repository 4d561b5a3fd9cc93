import Notation
import Testing

@testable import OpenRosa

@Suite struct XMLStreamTests {
    @Test func `names, attributes, text and places`() {
        let outcome = read(
            "<?xml version=\"1.0\"?>\n<a xmlns=\"urn:x\" p='1 &lt; 2'>é\r\n<b:c xmlns:b=\"urn:y\" b:q=\"z\"/></a>"
        )
        #expect(outcome.error == nil)
        let a = XMLName("a", namespace: "urn:x")
        let c = XMLName("c", namespace: "urn:y", prefix: "b")
        #expect(
            outcome.events == [
                .start(a, ["p=1 < 2"], XMLPosition(offset: 22, line: 2, column: 1)),
                .text("é\n"),
                .start(c, ["b:q=z"], XMLPosition(offset: 56, line: 3, column: 1)),
                .end(c, XMLPosition(offset: 56, line: 3, column: 1)),
                .end(a, XMLPosition(offset: 86, line: 3, column: 31)),
            ])
    }

    /// Documents that differ in what a cut could break.
    static let documents: [String] = [
        "<a/>", "<a></a>", "<a>x</a>", "\u{FEFF}<a>x</a>", "  \n<a/>\n ", "", " ", "x", "<", "<a",
        "<a>",
        "<a>x", "<a/>x", "<a/><b/>", "<a></b>", "<a b='1' b='2'/>", "<a b=1/>",
        "<a b='x>y' c=\">\">t</a>",
        "<a b='x<y'/>", "<a b='<", "<a <b/>", "<>", "<a><\"", "<a>]]></a>", "<a>]]</a>",
        "<a>]]]]]]]]x]</a>",
        "<a>]\r]\r\n]>\r</a>\r", "<a>&amp;&lt;&#233;&#x1F600;</a>", "<a>&nbsp;</a>", "<a>& b;</a>",
        "<a>&b", "<a>&;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
        "<a>&" + String(repeating: "x", count: 200) + ";</a>",
        "<a><![CDATA[<b>&amp;]]]]></a>", "<a><![CDATA[]]></a>",
        "<a><![CDATA[x]]><![CDATA[y]]>z</a>",
        "<a>q<![CDATA[日本語 text 😀\r\n]]>r</a>", "<a><![CDATA[x", "<![CDATA[x]]><a/>",
        "<a><![CDAT[x]]></a>",
        "<a><!-- it's a <b> \" --><b c='>'/></a>", "<a><!-- -- --></a>", "<a><!-- x",
        "<a><!- x --></a>",
        "<!-- é --><a/><!-- z -->", "<a><?p d?></a>", "<a><?p?></a>", "<a><??></a>",
        "<a><?xml version='1.0'?></a>",
        " <?xml version='1.0'?><a/>", "<?xml version='1.0' encoding='UTF-8'?><é ü='ß'>😀</é>",
        "<?xml version='1.0' encoding='EBCDIC-CP-US'?><a/>",
        "<?xml version='1.0' encoding='UTF-16'?><a/>",
        "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<a><!DOCTYPE b></a>",
        "<p:a/>", "<a q:b='1'/>", "<a xmlns:p=''/>", "<a\u{0}/>", "<a>x\u{0}y</a>",
        "<a b='\u{1}'/>", "<a>\u{7F}\u{85}</a>",
        "<a>\u{FFFF}</a>", "<a><b><c></b></c></a>", "<a/ >", "<a b = '1' />", "</a>",
        "<a><b/></a></a>", "<1/>",
        "<a>" + String(repeating: "ü", count: 700) + "</a>",
        "<a>" + String(repeating: "word ", count: 200) + "</a>",
    ]

    @Test(arguments: documents) func `cuts change nothing`(document: String) {
        let bytes = Array(document.utf8)
        let limits = XMLLimits(depth: 20, markup: 400, text: 33)
        let whole = read([bytes], limits: limits)
        #expect(read(singles(bytes), limits: limits) == whole)
        for seed in 0..<20 {
            var random = SplitMix64(seed: UInt64(seed))
            let pieces = read(cut(bytes, &random), limits: limits)
            #expect(pieces == whole, "seed \(seed)")
            if pieces != whole { return }
        }
    }
}
