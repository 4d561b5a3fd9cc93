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
        let start = try #require(page.range(of: #"id="content">"#)).upperBound
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
}
