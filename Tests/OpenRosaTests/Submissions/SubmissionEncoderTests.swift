import Testing

@testable import OpenRosa

@Suite struct SubmissionEncoderTests {
    @Test func `writes a form and its files as CommCare Android does`() throws {
        let encoder = try SubmissionEncoder(boundary: "b-1")
        #expect(encoder.contentType == "multipart/form-data; boundary=b-1")
        let body = try encoder.encode(
            form: Array("<data/>".utf8), filename: "f \"1\".xml",
            files: [
                .init(name: "1.jpg", content: [0xFF, 0xD8, 0x0D, 0x0A]),
                .init(
                    name: "2.3gp", filename: "2.3gp.aes", content: [1], hasLength: false),
                .init(name: "é😀\r\n.unknown", contentType: "a/b\r\nX: y", content: []),
            ], isIncomplete: true)
        let expected =
            "--b-1\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; "
            + "filename=\"f %221%22.xml\"\r\nContent-Type: text/xml\r\nContent-Length: 7\r\n\r\n"
            + "<data/>\r\n"
            + "--b-1\r\nContent-Disposition: form-data; name=\"1.jpg\"; filename=\"1.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\nContent-Length: 4\r\n\r\n#\r\n"
            + "--b-1\r\nContent-Disposition: form-data; name=\"2.3gp\"; filename=\"2.3gp.aes\"\r\n"
            + "Content-Type: video/3gpp\r\n\r\n\u{1}\r\n"
            + "--b-1\r\nContent-Disposition: form-data; name=\"é😀%0D%0A.unknown\"; "
            + "filename=\"é😀%0D%0A.unknown\"\r\nContent-Type: a/bX: y\r\nContent-Length: 0\r\n\r\n\r\n"
            + "--b-1\r\nContent-Disposition: form-data; name=\"*isIncomplete*\"\r\n"
            + "Content-Length: 3\r\n\r\nyes\r\n--b-1--\r\n"
        let text = String(
            decoding: body.flatMap { $0 == 0xFF ? [0x23] : $0 == 0xD8 ? [] : [$0] }, as: UTF8.self)
        #expect(text == expected.replacing("\r\n\r\n#\r\n", with: "\r\n\r\n#\r\n\r\n"))
    }

    @Test func `describes what it writes, which nobody refuses`() {
        let files: [SubmissionEncoder.File] = [
            .init(name: "1.jpg", content: [1, 2]), .init(name: "x.bin", content: []),
        ]
        let submission = SubmissionEncoder.submission(form: Array("<a/>".utf8), files: files)
        #expect(submission.findings(references: ["1.jpg", "x.bin"]).isEmpty)
        #expect(
            submission.attachments.map(\.contentType) == ["image/jpeg", "application/octet-stream"])
        #expect(submission.contentSize == 6)
        let marked = SubmissionEncoder.submission(form: [1], isIncomplete: true)
        #expect(marked.isIncomplete)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "é", "a\"", String(repeating: "x", count: 71)])
    func `refuses boundaries`(boundary: String) {
        #expect(throws: SubmissionEncoder.Problem.invalidBoundary) {
            try SubmissionEncoder(boundary: boundary)
        }
    }

    @Test func `refuses a boundary that stands in a part`() throws {
        let encoder = try SubmissionEncoder(boundary: "b")
        #expect(throws: SubmissionEncoder.Problem.boundaryInContent(index: 0)) {
            try encoder.encode(form: Array("x\r\n--b".utf8))
        }
        #expect(throws: SubmissionEncoder.Problem.boundaryInContent(index: 1)) {
            try encoder.encode(form: [], files: [.init(name: "a", content: Array("---b".utf8))])
        }
        #expect(try encoder.encode(form: Array("x\r\n-b--".utf8)).count > 100)
    }

    @Test(
        arguments: [
            ("a.jpg", "image/jpeg"), ("A.JPG", "image/jpeg"), ("a.3gpp", "audio/3gpp"),
            ("a.3gp", "video/3gpp"), ("a.exe", nil), ("jpg", nil), ("", nil), ("a.", nil),
        ] as [(String, String?)])
    func `knows types by extension`(filename: String, type: String?) {
        #expect(SubmissionFileType.contentType(filename: filename) == type)
    }
}
