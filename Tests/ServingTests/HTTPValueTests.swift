import Testing

@testable import Serving

struct HTTPValueTests {

    @Test func `reads a target`() {
        let request = ServedRequest("GET", "/a/x%20y/%zz/?b=1&c=%26+d&c=2&e")
        #expect(request.segments == ["a", "x y", "%zz"])
        #expect(request.parameter("b") == "1")
        #expect(request.parameter("c") == "& d")
        #expect(request.parameter("e") == "")
        #expect(request.parameter("f") == nil)
    }

    @Test(
        arguments: [
            ("Basic dTpw", "u"), ("basic dUBkOnA6cQ==", "u@d"), ("Basic OnA=", nil), ("Basic", nil),
            ("Bearer dTpw", nil), ("Basic dQ==", nil), ("Basic !", nil),
        ] as [(String, String?)])
    func `reads who a client says it is`(value: String, user: String?) {
        #expect(
            ServedRequest("GET", "/", fields: [.init("authorization", value)]).user == user)
    }

    @Test func `cuts a body into its parts`() throws {
        let type = "multipart/form-data; boundary=b"
        let text =
            "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--b\r\n\r\n\r\n"
            + "--b\r\ncontent-disposition: form-data; name=y; filename=\"z.xml\"\r\n\r\n"
            + "a\r\n--c\r\n--b--\r\nepilogue"
        let bytes = Array(text.utf8)
        let body = try #require(MultipartBody(bytes, contentType: type))
        #expect(body.parts.map(\.name) == ["x", nil, "y"])
        #expect(
            body.parts.map { String(decoding: bytes[$0.content], as: UTF8.self) } == [
                "1", "", "a\r\n--c",
            ])
        for count in 0..<bytes.count - "--\r\nepilogue".utf8.count {
            #expect(MultipartBody(Array(bytes.prefix(count)), contentType: type) == nil)
        }
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"),
            ("Multipart/Form-Data; charset=x; boundary=\"a b\"", "a b"),
            ("multipart/form-data", nil), ("multipart/form-data; boundary=x", nil),
        ] as [(String, String?)])
    func `finds a boundary`(type: String, boundary: String?) {
        #expect(MultipartBody.isMeant(by: type))
        let body = "--\(boundary ?? "")\r\n\r\n--\(boundary ?? "")--"
        let read = MultipartBody(Array(body.utf8), contentType: type)
        #expect(read.map(\.parts.count) == boundary.map { _ in 1 })
    }

    @Test(arguments: ["text/xml; boundary=a", "multipart/mixed; boundary=a", ""])
    func `knows a body without parts`(type: String) {
        #expect(!MultipartBody.isMeant(by: type))
    }
}
