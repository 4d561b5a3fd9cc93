import Testing

@testable import SyncServers

struct XMLTextTests {
    @Test func `escapes for XML`() {
        #expect("<a&\"b\">\u{0}\n😀".escapedForXML == "&lt;a&amp;&quot;b&quot;&gt;\u{FFFD}&#10;😀")
    }
}
