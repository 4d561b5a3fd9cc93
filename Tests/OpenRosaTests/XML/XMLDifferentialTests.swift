import Foundation
import FoundationXML
import Notation
import Testing

@testable import OpenRosa

/// Events as Foundation's parser and ours can both give them.
private final class Reference: NSObject, XMLParserDelegate {
    var lines: [String] = []
    private var text = ""

    private func flush() {
        if !text.isEmpty { lines.append("text \(text)") }
        text = ""
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
    ) {
        flush()
        let attributes = attributeDict.filter { !$0.key.hasPrefix("xmlns") }.sorted {
            $0.key < $1.key
        }
        lines.append(
            "start \(namespaceURI ?? "") \(elementName) \(attributes.map { "\($0.key)=\($0.value)" }.sorted())"
        )
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        flush()
        lines.append("end \(elementName)")
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        text += String(decoding: block, as: UTF8.self)
    }
}

@Suite struct XMLDifferentialTests {
    private static let words = [
        "plain", "é", "日本", "😀👩‍👩‍👧", "Ωmega", "a &amp; b", "&lt;", "&#x1F680;", "]]", "\r\n", "\t",
        "ЖЖ", "\u{301}x", "مرحبا",
    ]

    private static func text(_ random: inout SplitMix64) -> String {
        (0..<Int(random.next() % 4)).map { _ in words[Int(random.next() % UInt64(words.count))] }
            .joined(separator: " ")
    }

    private static func element(_ random: inout SplitMix64, depth: Int) -> String {
        let name = ["case", "œuvre", "p:item", "データ", "x-1"][Int(random.next() % 5)]
        var tag = "<\(name)"
        for attribute in 0..<Int(random.next() % 3) {
            let quote = random.next() % 2 == 0 ? "'" : "\""
            tag +=
                " a\(attribute)=\(quote)\(text(&random).replacingOccurrences(of: "\r\n", with: " > "))\(quote)"
        }
        if random.next() % 4 == 0 { tag += " xmlns='urn:\(random.next() % 3)'" }
        if depth == 0 || random.next() % 5 == 0 { return tag + "/>" }
        var body = ""
        for _ in 0..<Int(random.next() % 4) {
            switch random.next() % 6 {
            case 0: body += "<!-- \(words[1]) it's > -->"
            case 1: body += "<![CDATA[<raw> & \(words[3])]]>"
            case 2: body += "<?pi data '?>"
            default: body += text(&random) + element(&random, depth: depth - 1)
            }
        }
        return "\(tag)>\(body)\(text(&random))</\(name)>"
    }

    private static func document(_ seed: Int, _ random: inout SplitMix64) -> [UInt8] {
        var scalars = Array(
            "<root xmlns:p='urn:p'>\(element(&random, depth: 5))</root>".unicodeScalars)
        if seed % 3 == 2 {
            // Every third is damaged.
            for _ in 0..<(1 + random.next() % 2) {
                scalars.remove(at: Int(random.next() % UInt64(scalars.count)))
            }
        }
        return Array(String(String.UnicodeScalarView(scalars)).utf8)
    }

    @Test func `agrees with Foundation about the events of 600 documents`() {
        for seed in 0..<600 where seed % 3 != 2 {
            var random = SplitMix64(seed: UInt64(seed))
            let bytes = Self.document(seed, &random)
            let reference = Reference()
            let parser = XMLParser(data: Data(bytes))
            parser.shouldProcessNamespaces = true
            parser.delegate = reference
            #expect(parser.parse())
            let ours = read(cut(bytes, &random))
            #expect(ours.error == nil, "seed \(seed)")
            #expect(Self.lines(ours.events) == reference.lines, "seed \(seed)")
        }
    }

    /// Says of each document, given in hexadecimal on a line of its own, whether expat takes it.
    private static let expat = """
        import sys, xml.parsers.expat
        for line in sys.stdin:
            try:
                xml.parsers.expat.ParserCreate().Parse(bytes.fromhex(line.strip()), True)
                print(1)
            except xml.parsers.expat.ExpatError:
                print(0)
        """

    @Test func `agrees with expat on which of 900 documents are well formed`() throws {
        var documents: [[UInt8]] = []
        for seed in 0..<900 {
            var random = SplitMix64(seed: UInt64(seed))
            documents.append(Self.document(seed, &random))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.expat]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let digits = Array("0123456789abcdef".utf8)
        var lines: [UInt8] = []
        for document in documents {
            for byte in document { lines += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
            lines.append(0x0A)
        }
        let written = Data(lines)
        let writer = Thread {
            input.fileHandleForWriting.write(written)
            input.fileHandleForWriting.closeFile()
        }
        writer.start()
        let answer = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let verdicts = answer.split(separator: "\n").map { $0 == "1" }
        try #require(verdicts.count == documents.count)
        #expect(Set(verdicts) == [true, false])
        for (document, verdict) in zip(documents, verdicts) {
            let text = String(decoding: document, as: UTF8.self)
            #expect((read([document]).error == nil) == verdict, "\(text)")
        }
    }

    private static func lines(_ events: [Event]) -> [String] {
        var lines: [String] = []
        var text = ""
        func flush() {
            if !text.isEmpty { lines.append("text \(text)") }
            text = ""
        }
        for event in events {
            switch event {
            case .start(let name, let attributes, _):
                flush()
                lines.append(
                    "start \(name.namespace ?? "") \(name.local) \(attributes.filter { !$0.hasPrefix("xmlns") }.sorted())"
                )
            case .end(let name, _):
                flush()
                lines.append("end \(name.local)")
            case .text(let piece): text += piece
            case .comment, .instruction: break
            }
        }
        return lines
    }
}
