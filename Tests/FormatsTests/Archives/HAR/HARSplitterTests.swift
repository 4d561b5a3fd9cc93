import Notation
import Testing
import Trace
import Wire

@testable import Formats

@Suite("Finding the entries of an archive") struct HARSplitterTests {
    private static func parts(
        _ bytes: [UInt8], blocks: (Int) -> Int
    ) throws -> [HARSplitter.Part] {
        var splitter = HARSplitter()
        var parts: [HARSplitter.Part] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, blocks(start)))
            try splitter.consume(bytes[start..<end].span, into: &parts)
            start = end
        }
        try splitter.finish()
        return parts
    }

    private static let text = """
        {"a\\"log":[{"entries":[1]}],"log":{"x":{"entries":[2,{"log":3}]},"entries": [ {"a":"]},{"},
        [ ], null , "s,]" ,{"e":{"entries":[{}]}} ] ,"comment":"log","creator":{"n":[]}},"log2":{
        "entries":[{"no":1}]}}
        """

    @Test("is that of the JSON scanner, in blocks of any size") func blocks() throws {
        let bytes = Array(Self.text.utf8)
        let log = try #require(try JSONDocument.scan(bytes).root["log"])
        let entries = try #require(log["entries"])
        let all = try Self.parts(bytes) { _ in bytes.count }
        let texts = all.compactMap { part -> String? in
            guard case .entry(let range) = part else { return nil }
            return String(decoding: bytes[range], as: UTF8.self)
                .replacing(#/\s+$/#, with: "")
        }
        #expect(texts == entries.elements.map(\.text))
        let names = all.compactMap { part -> String? in
            if case .member(let name, _) = part { name } else { nil }
        }
        #expect(names == ["x", "comment", "creator"])
        for size in 1...16 { #expect(try Self.parts(bytes) { _ in size } == all) }
    }

    @Test("tells where a text was cut") func cut() throws {
        let bytes = Array(Self.text.utf8)
        for count in 1..<bytes.count {
            #expect(throws: HARSplitter.Failure.self) {
                try Self.parts(Array(bytes.prefix(count))) { _ in 7 }
            }
        }
    }

    /// Damaged archives are refused or read; nothing else happens, in bounded time and memory.
    @Test("and reading them survives damage", arguments: 0..<8) func damage(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let whole = Array(
            HARs.archive(
                HARs.entry(
                    method: "POST",
                    request: """
                        "headers":[{"name":"Content-Type","value":"text/xml"}],"bodySize":3,
                        "postData":{"mimeType":"text/xml","text":"<a/>","params":[]}
                        """,
                    response: """
                        "status":200,"headers":[{"name":"a","value":"b"}],"_error":null,
                        "content":{"size":4,"text":"AAEC","encoding":"base64"}
                        """),
                HARs.entry(
                    second: 3, url: "wss://example.org/s", response: #""status":101,"headers":[]"#,
                    more: """
                        "time":12.5,"_webSocketMessages":[
                          {"type":"send","time":1704067203.5,"opcode":1,"data":"x"},
                          {"type":"receive","time":1704067203.75,"opcode":2,"data":"AA=="}],
                        "timings":{"blocked":1,"connect":1e3,"send":0,"wait":1,"receive":2}
                        """)
            ).utf8)
        let words = ["-1", "1e999", "null", "[]", "{}", "\"\"", "99999999999999999999", "\\ud800"]
        var read = 0
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2:
                    let word = words.randomElement(using: &random) ?? ""
                    bytes.insert(contentsOf: word.utf8, at: place)
                default:
                    let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
                    bytes.replaceSubrange(place..<end, with: bytes[place..<end].reversed())
                }
                if bytes.isEmpty { bytes = [0x7B] }
            }
            do {
                for exchange in try HARs.exchanges(of: HARReader(bytes: bytes, name: "a.har")) {
                    let wire = HARs.wire(exchange)
                    #expect(wire.times == wire.times.sorted())
                    read += 1
                }
            } catch let error as FileError {
                #expect(error.code == .malformed)
            }
        }
        #expect(read > 50)
    }
}
