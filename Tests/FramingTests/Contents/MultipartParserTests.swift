import Framing
import Notation
import Testing

@Suite struct MultipartParserTests {
    struct Sample: Sendable, CustomStringConvertible {
        var name: String
        var text: String
        var lines: [String]
        var description: String { name }
    }

    /// What the parser says, as lines that do not depend on how the bytes are cut.
    private func transcript(
        _ bytes: [UInt8], cuts: [Int], limits: MultipartLimits = MultipartLimits()
    ) throws -> [String] {
        var parser = try #require(MultipartParser(boundary: "b", limits: limits))
        var lines: [String] = []
        var content: [UInt8] = []
        var held = 0
        func add(_ line: String) {
            if !content.isEmpty {
                let text = content.map { Unicode.Scalar($0).escaped(asASCII: true) }.joined()
                lines.append("content \(text)")
            }
            content = []
            lines.append(line)
        }
        func handle(_ events: [MultipartEvent], _ portion: borrowing Span<UInt8>) {
            for event in events {
                switch event {
                case .part(let head, let offset):
                    let parts = [head.name, head.filename, head.contentType]
                    add("part \(parts.map { $0 ?? "-" }.joined(separator: "|")) \(offset)")
                case .content(let range):
                    for index in range { content.append(portion[index]) }
                case .held(let bytes):
                    content += bytes
                    held = max(held, bytes.count)
                case .partEnd(let size, let offset):
                    #expect(Int64(content.count) == size)
                    add("partEnd \(size) \(offset)")
                case .end(let offset): add("end \(offset)")
                case .failure(let error): add("failure \(error)")
                }
            }
        }
        var start = 0
        for length in cuts {
            var events: [MultipartEvent] = []
            let portion = bytes.span.extracting(start..<start + length)
            parser.consume(portion, into: &events)
            handle(events, portion)
            start += length
        }
        #expect(parser.streamOffset == Int64(bytes.count))
        var events: [MultipartEvent] = []
        parser.endOfStream(into: &events)
        handle(events, [UInt8]().span)
        #expect(content.isEmpty)
        #expect(held <= "\r\n--b\r".utf8.count)
        return lines
    }

    static let samples: [Sample] = [
        Sample(
            name: "two parts",
            text: "--b\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; "
                + "filename=\"form.xml\"\r\nContent-Type: text/xml\r\n\r\n<data/>\r\n--b\r\n"
                + "content-disposition: form-data; name=x\r\n\r\n1\r\n2\r\n--b--\r\n",
            lines: [
                "part xml_submission_file|form.xml|text/xml 112", "content <data/>",
                "partEnd 7 119", "part x|-|- 168", "content 1\\r\\n2", "partEnd 4 172", "end 179",
            ]),
        Sample(
            name: "bare line feeds", text: "--b\nA: b\n\nx\ny\n--b\n\nz\n--b--",
            lines: [
                "part -|-|- 10", "content x\\ny", "partEnd 3 13", "part -|-|- 19", "content z",
                "partEnd 1 20", "end 26",
            ]),
        Sample(
            name: "preamble and epilogue",
            text: "hi\r\n--bad\r\n--b\r\n\r\nx\r\n--b--\r\n--b\r\n\r\ny",
            lines: ["part -|-|- 18", "content x", "partEnd 1 19", "end 26"]),
        Sample(
            name: "padding", text: "--b \t\r\n\r\nx\r\n--b  \r\n\r\n\r\n--b--  ",
            lines: [
                "part -|-|- 9", "content x", "partEnd 1 10", "part -|-|- 21", "partEnd 0 21",
                "end 28",
            ]),
        Sample(
            name: "empty part without a line break of its own", text: "--b\r\n\r\n--b--",
            lines: ["part -|-|- 7", "partEnd 0 7", "end 12"]),
        Sample(
            name: "almost delimiters",
            text: "--b\r\n\r\n\r\n--\r\n--bx\r\n--b-x\r\r\n--b\rx\n-\r\n--b\r\r\n--b\r\r\n--b--",
            lines: [
                "part -|-|- 7",
                "content \\r\\n--\\r\\n--bx\\r\\n--b-x\\r\\r\\n--b\\rx\\n-\\r\\n--b\\r\\r\\n--b\\r",
                "partEnd 39 46", "end 53",
            ]),
        Sample(name: "no parts", text: "--b--", lines: ["end 5"]),
        Sample(
            name: "nothing", text: "",
            lines: ["failure the boundary is not in the body, which ends at byte 0"]),
        Sample(
            name: "another boundary", text: "--c\r\n\r\nx\r\n--c--",
            lines: ["failure the boundary is not in the body, which ends at byte 15"]),
        Sample(
            name: "cut in content", text: "--b\r\n\r\nx\r\n--",
            lines: [
                "part -|-|- 7", "content x\\r\\n--", "partEnd 5 12",
                "failure the body ends at byte 12, before the closing delimiter",
            ]),
        Sample(
            name: "cut behind a boundary", text: "--b\r\n\r\nx\r\n--b\r",
            lines: [
                "part -|-|- 7", "content x", "partEnd 1 8",
                "failure the body ends at byte 14, before the closing delimiter",
            ]),
        Sample(
            name: "cut in the fields", text: "--b\r\nA: b\r\n",
            lines: ["failure the body ends at byte 11, before the closing delimiter"]),
        Sample(
            name: "delimiter in the fields", text: "--b\r\nA: b\r\n--b\r\n\r\nx\r\n--b--",
            lines: ["failure a delimiter at byte 11 is among the fields of a part"]),
    ]

    @Test(arguments: samples) func `finds the parts`(sample: Sample) throws {
        let bytes = Array(sample.text.utf8)
        let whole = try transcript(bytes, cuts: [bytes.count])
        #expect(whole == sample.lines)
        #expect(try transcript(bytes, cuts: bytes.map { _ in 1 }) == whole)
        for seed in 0..<100 {
            let cuts = HTTPSample.cuts(of: bytes.count, seed: UInt64(seed))
            #expect(try transcript(bytes, cuts: cuts) == whole, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<600)
    func `says the same about broken bodies however they are cut`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "\r\n", "\n", "\r", "--", "-", "b", "--b", "--b--", " ", "x", "A: b", "\r\n--b",
        ]
        var text = "--b\r\n\r\n"
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            text += pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        let bytes = Array(text.utf8)
        let whole = try transcript(bytes, cuts: [bytes.count])
        #expect(try transcript(bytes, cuts: bytes.map { _ in 1 }) == whole, "\(text)")
        let cuts = HTTPSample.cuts(of: bytes.count, seed: seed)
        #expect(try transcript(bytes, cuts: cuts) == whole, "\(text)")
    }

    @Test func `keeps to its limits`() throws {
        let bytes = Array("--b\r\nA: 0123456789\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--".utf8)
        for cuts in [[bytes.count], bytes.map { _ in 1 }] {
            #expect(
                try transcript(bytes, cuts: cuts, limits: MultipartLimits(maxHeadBytes: 10))
                    == ["failure the fields of a part have more than 10 bytes at byte 15"])
            #expect(
                try transcript(bytes, cuts: cuts, limits: MultipartLimits(maxParts: 1)) == [
                    "part -|-|- 22", "content x", "partEnd 1 23",
                    "failure more than 1 parts at byte 30",
                ])
        }
    }

    @Test func `emits content as whole runs`() throws {
        let line = Array("a line of text\r\n".utf8)
        let body = Array("--b\r\n\r\n".utf8) + (0..<1000).flatMap { _ in line }
        var parser = try #require(MultipartParser(boundary: "b"))
        var events: [MultipartEvent] = []
        parser.consume(body.span, into: &events)
        // All but the last line break, which may belong to a delimiter.
        #expect(events.dropFirst() == [.content(7..<body.count - 2)])
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=b", true), ("Multipart/Mixed;boundary=\"b\"", true),
        ("multipart/form-data; charset=utf-8; BOUNDARY=b ; x", true),
        ("multipart/form-data", false), ("multipart/form-data; boundary=", false),
        ("text/xml; boundary=b", false), ("multipart/form-data; boundary=\"\"", false),
    ])
    func `takes its boundary from the content type`(type: String, isUsable: Bool) throws {
        let parser = MultipartParser(contentType: type)
        #expect((parser != nil) == isUsable)
        guard var parser else { return }
        var events: [MultipartEvent] = []
        parser.consume(Array("--b--".utf8).span, into: &events)
        #expect(events == [.end(offset: 5)])
    }

    @Test func `refuses boundaries that are none`() {
        #expect(MultipartParser(boundary: "") == nil)
        #expect(MultipartParser(boundary: "a\r\nb") == nil)
        #expect(MultipartParser(boundary: String(repeating: "b", count: 1025)) == nil)
        #expect(MultipartParser(boundary: "with space 'and' more") != nil)
    }
}
