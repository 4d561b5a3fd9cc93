import Testing

@testable import Formats

@Suite("Archives of HTTP") struct HARBodyTests {
    /// Chrome writes the bytes of a multipart body with a photo as characters.
    @Test("with binary bodies of requests") func binaryRequests() throws {
        func request(_ type: String, _ text: String, _ more: String) throws -> ArchivedExchange {
            try HARs.exchange(
                HARs.entry(
                    method: "POST",
                    request: """
                        "headers":[{"name":"Content-Type","value":"\(type)"}],\(more)
                        "postData":{"mimeType":"\(type)","text":"\(text)"}
                        """))
        }
        let picture = "image/jpeg"
        let bytes = try request(picture, "\u{FF}\u{D8}a", #""bodySize":3,"#)
        #expect(bytes.request.body == [0xFF, 0xD8, 0x61] && bytes.oddities.isEmpty)
        let utf8 = try request(picture, "\u{FF}a", #""bodySize":3,"#)
        #expect(utf8.request.body == [0xC3, 0xBF, 0x61] && utf8.oddities.isEmpty)
        let unknown = try request(picture, "\u{FF}a", #""bodySize":-1,"#)
        #expect(unknown.request.body == [0xC3, 0xBF, 0x61])
        #expect(unknown.oddities.first?.contains("its bytes are uncertain") == true)
        let lost = try request(picture, "\u{FFFD}a", #""bodySize":2,"#)
        #expect(lost.oddities.first?.contains("U+FFFD in place of bytes") == true)
        #expect(
            lost.oddities.last
                == "the archive states 2 bytes for the body of the request; its text has 4 bytes")
        let text = try request("text/plain", "\u{FF}a", #""bodySize":-1,"#)
        #expect(text.request.body == [0xC3, 0xBF, 0x61] && text.oddities.isEmpty)
        // Base64 beside it has the bytes.
        let both = try request(
            picture, "?", #""bodySize":2,"_content":{"text":"/9g=","size":2,"encoding":"base64"},"#)
        #expect(both.request.body == [0xFF, 0xD8] && both.oddities.isEmpty)
    }
}
