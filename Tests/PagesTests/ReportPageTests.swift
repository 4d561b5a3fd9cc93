import Foundation
import Notation
import Testing

@testable import Pages

/// The one file of a report.
struct ReportPageTests {
    private let page = String(
        decoding: ReportPage.html(
            Array(#"{"trace":"</script><script>alert(1)</script>&lt;"}"#.utf8)),
        as: UTF8.self)

    @Test func `content ends no element, and is the same JSON`() throws {
        let start = try #require(page.range(of: #"id="content-data">"#)).upperBound
        let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
        let value = try JSONValue(parsing: String(page[start..<end]))
        #expect(value["trace"]?.string == "</script><script>alert(1)</script>&lt;")
        #expect(page.components(separatedBy: "<script").count == 3)
    }

    @Test func `nothing is loaded, and only the script and style of the page run`() throws {
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("unsafe-inline") && !page.contains("import {"))
        #expect(!page.contains("@script") && !page.contains("@style") && !page.contains("@content"))
        for word in ["src=", "href=", "http://", "https://", "innerHTML", "eval(", "fetch("] {
            #expect(!page.contains(word), "\(word)")
        }
    }

    @Test func `modules become functions that give what they export`() {
        let first = "export const one = 1;\nexport async function two() {}\n"
        let second = "import {\n  one,\n  two as more,\n} from \"./a-b.js\";\nmore(one);"
        let script = JoinedModules.script([
            ("a-b", Array(first.utf8)), ("c", Array(second.utf8)),
        ])
        let text = String(decoding: script, as: UTF8.self)
        #expect(text.contains("const module_a_b = (() => {\nconst one = 1;\nasync function two"))
        #expect(text.contains("return { one, two };"))
        #expect(text.contains("const {  one,  two: more,} = module_a_b;\nmore(one);"))
    }
}
