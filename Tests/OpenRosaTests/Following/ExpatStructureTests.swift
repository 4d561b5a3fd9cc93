import Foundation
import Notation
import Testing

@testable import OpenRosa

/// Names, attributes, texts and places against Python's expat, which shares no code with libxml2.
@Suite struct ExpatStructureTests {
    private static let count = 3000
    private static let words = [
        "plain", "é", "日本", "😀👩‍👩‍👧", "Ωmega", "a &amp; b", "&lt;&gt;&quot;&apos;", "&#x1F680;",
        "&#233;", "]]", "\n", "\t", "ЖЖ", "\u{301}x", "مرحبا", "🇫🇷 ü", "x > y", "𝔘𝔫𝔦", "\u{FFFD}",
    ]
    private static let names = [
        "case", "update", "œuvre", "p:item", "データ", "x-1", "q:œ.1", "case_id", "fixture",
    ]

    private static func text(_ random: inout SplitMix64) -> String {
        (0..<Int(random.next() % 5)).map { _ in words[Int(random.next() % UInt64(words.count))] }
            .joined(separator: " ")
    }

    private static func element(_ random: inout SplitMix64, depth: Int) -> String {
        let name = names[Int(random.next() % UInt64(names.count))]
        var tag = "<\(name)"
        for attribute in 0..<Int(random.next() % 4) {
            let quote = random.next() % 2 == 0 ? "'" : "\""
            let prefix = ["", "p:", "q:"][Int(random.next() % 3)]
            tag += " \(prefix)ä\(attribute)=\(quote)\(text(&random))\(quote)"
        }
        if random.next() % 4 == 0 { tag += " xmlns='urn:e\(random.next() % 3)'" }
        if depth == 0 || random.next() % 5 == 0 { return tag + "/>" }
        var body = ""
        for _ in 0..<Int(random.next() % 4) {
            switch random.next() % 7 {
            case 0: body += "<!-- \(words[3]) it's > -->"
            case 1: body += "<![CDATA[<raw> & 😀 ]] \(words[1])]]>"
            case 2: body += "<?pi dätä '?>"
            default: body += text(&random) + element(&random, depth: depth - 1)
            }
        }
        return "\(tag)>\(body)\(text(&random))</\(name)>"
    }

    private static func document(_ seed: Int, _ random: inout SplitMix64) -> [UInt8] {
        var scalars = Array(
            "<root xmlns:p='urn:p' xmlns:q='urn:q:2'>\(element(&random, depth: 5))\(words[3])</root>"
                .unicodeScalars)
        if seed % 4 == 3 {
            // Every fourth is damaged.
            for _ in 0..<(1 + random.next() % 2) {
                scalars.remove(at: Int(random.next() % UInt64(scalars.count)))
            }
        }
        return Array(String(String.UnicodeScalarView(scalars)).utf8)
    }

    /// Prints for each document, given in hexadecimal on a line of its own, what is in it, the
    /// same way; `well-formed` where only the namespaces are at fault; `malformed` where it is.
    private static let script = """
        import sys, xml.parsers.expat
        def read(data, separator):
            lines, text = [], []
            p = xml.parsers.expat.ParserCreate(namespace_separator=separator)
            p.ordered_attributes = True
            def flush():
                if text: lines.append('text ' + ''.join(text)); text.clear()
            def start(name, attributes):
                flush()
                pairs = ''.join('|%s=%s' % pair for pair in zip(attributes[::2], attributes[1::2]))
                lines.append('start %s%s @%d %d %d' % (name, pairs, p.CurrentByteIndex, p.CurrentLineNumber, p.CurrentColumnNumber + 1))
            def end(name):
                flush()
                lines.append('end ' + name)
            p.StartElementHandler, p.EndElementHandler = start, end
            p.CharacterDataHandler = text.append
            p.Parse(data, True)
            return '\\x1e'.join(lines)
        for line in sys.stdin:
            data = bytes.fromhex(line.strip())
            try: result = read(data, '^')
            except xml.parsers.expat.ExpatError:
                try:
                    read(data, None)
                    result = 'well-formed'
                except xml.parsers.expat.ExpatError:
                    result = 'malformed'
            print(result.encode().hex())
        """

    private static func hexadecimal(_ documents: [[UInt8]]) -> Data {
        let digits = Array("0123456789abcdef".utf8)
        var lines: [UInt8] = []
        for document in documents {
            for byte in document { lines += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
            lines.append(0x0A)
        }
        return Data(lines)
    }

    private static func ask(_ documents: [[UInt8]]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let written = hexadecimal(documents)
        let writer = Thread {
            input.fileHandleForWriting.write(written)
            input.fileHandleForWriting.closeFile()
        }
        writer.start()
        let answer = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return answer.split(separator: 0x0A).map { line in
            func digit(_ byte: UInt8) -> UInt8 { byte < 0x61 ? byte - 0x30 : byte - 0x57 }
            let bytes = stride(from: line.startIndex, to: line.endIndex - 1, by: 2).map {
                digit(line[$0]) << 4 | digit(line[$0 + 1])
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The same of ours.
    private static func describe(_ pieces: [[UInt8]], isStructured: Bool) -> String {
        let gathering = Gathering()
        let stream = XMLStream(handler: gathering)
        do {
            for piece in pieces { try stream.feed(piece.span) }
            try stream.finish()
        } catch {
            return "malformed"
        }
        // libxml2 also warns of namespaces that are no URI, and of relative ones.
        guard isStructured else { return stream.namespaceError == nil ? "" : "well-formed" }
        var lines: [String] = []
        var text = ""
        func flush() {
            if !text.isEmpty { lines.append("text \(text)") }
            text = ""
        }
        func name(_ name: XMLName) -> String {
            name.namespace.map { "\($0)^\(name.local)" } ?? name.local
        }
        for event in gathering.events {
            switch event {
            case .start(let element, _, let position):
                flush()
                lines.append(
                    "start \(name(element)) @\(position.offset) \(position.line) \(position.column)"
                )
            case .end(let element, _):
                flush()
                lines.append("end \(name(element))")
            case .text(let piece): text += piece
            case .comment, .instruction: break
            }
        }
        return lines.joined(separator: "\u{1E}")
    }

    /// Attributes with their namespaces, which ``Gathering`` does not keep.
    private final class Attributes: XMLEventHandler {
        var lines: [String] = []
        func start(_ tag: borrowing XMLTag) {
            var line = ""
            for index in 0..<tag.count {
                let name = tag.name(at: index)
                line += "|"
                if let namespace = name.namespace { line += namespace + "^" }
                line += "\(name.local)=\(tag.value(at: index))"
            }
            lines.append(line)
        }
        func end(_ tag: borrowing XMLTag) {}
        func text(_ bytes: borrowing Span<UInt8>) {}
    }

    private static func attributes(_ bytes: [UInt8]) throws -> [String] {
        let handler = Attributes()
        let stream = XMLStream(handler: handler)
        try stream.feed(bytes.span)
        try stream.finish()
        return handler.lines
    }

    @Test func `agrees with expat about 3,000 documents`() throws {
        var documents: [[UInt8]] = []
        var cuts: [[[UInt8]]] = []
        for seed in 0..<Self.count {
            var random = SplitMix64(seed: UInt64(seed) &+ 0x5EED)
            let document = Self.document(seed, &random)
            documents.append(document)
            cuts.append(cut(document, &random))
        }
        let answers = try Self.ask(documents)
        try #require(answers.count == documents.count)
        var structured = 0
        for (seed, answer) in answers.enumerated() {
            guard answer.hasPrefix("start ") else {
                #expect(
                    Self.describe(cuts[seed], isStructured: false) == answer, "seed \(seed)")
                continue
            }
            structured += 1
            // The attributes stand between the name and the place of a start.
            var theirs: [String] = []
            var attributes: [String] = []
            for line in answer.split(separator: "\u{1E}", omittingEmptySubsequences: false) {
                guard line.hasPrefix("start "), let place = line.lastIndex(of: "@") else {
                    theirs.append(String(line))
                    continue
                }
                let head = line[..<line.index(before: place)]
                let bar = head.firstIndex(of: "|") ?? head.endIndex
                theirs.append("\(head[..<bar]) \(line[place...])")
                attributes.append(String(head[bar...]))
            }
            #expect(
                Self.describe(cuts[seed], isStructured: true) == theirs.joined(separator: "\u{1E}"),
                "seed \(seed)")
            #expect(try Self.attributes(documents[seed]) == attributes, "seed \(seed)")
        }
        #expect(structured >= 2000)
        #expect(answers.contains("malformed"))
    }
}
