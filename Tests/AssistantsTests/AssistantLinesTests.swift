import Notation
import Testing

@testable import Assistants

/// Lines, and what random ones do to the server.
struct AssistantLinesTests {
    @Test(arguments: 1..<12) func `lines are the same in blocks of any size`(size: Int) {
        let text = Array("one\r\n\ntwo\nthree is too long\nfour".utf8)
        var lines = AssistantLines(limit: 5)
        var found: [AssistantLines.Line] = []
        for start in stride(from: 0, to: text.count, by: size) {
            found += lines.consume(text[start..<min(text.count, start + size)])
        }
        if let last = lines.finish() { found.append(last) }
        #expect(
            found == [
                .message(Array("one".utf8)), .message(Array("two".utf8)), .tooLong,
                .message(Array("four".utf8)),
            ])
    }

    /// Random bytes, and requests of which some bytes were changed.
    @Test(arguments: 0..<20) func `random bytes have one answer a line at most`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let seeds = [
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list","arguments":{"limit":3}}}"#,
            #"[{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":"x","method":"tools/list"}]"#,
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
        ].map { Array($0.utf8) }
        var lines = AssistantLines(limit: 300)
        var server = AssistantServer(
            AssistantOptions(hasTrace: true, version: "1", seed: seed))
        for _ in 0..<200 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            if random.next() % 4 == 0 {
                bytes = (0..<Int.random(in: 0..<400, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            for _ in 0..<Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            for line in lines.consume(bytes + [0x0A]) {
                let commands = server.receive(line)
                #expect(commands.count { if case .send = $0 { true } else { false } } <= 1)
                for case .run(let number, _) in commands {
                    let answers = server.finished(number, .failed("random"))
                    #expect(answers.count <= 1)
                }
            }
        }
    }
}
