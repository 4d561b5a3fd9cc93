import Filters
import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("Requests as a shell script") struct CurlScriptTests {
    /// Runs a script with a stand-in for curl that writes down what it was given, in two files for
    /// each call.
    ///
    /// A function, since a file that was just written cannot be executed while a child that another
    /// test is starting holds it open: the shell would go on to the real curl.
    private static let runner = """
        curl() {
            n=$(cat "$SEEN" 2>/dev/null || echo 0)
            echo $((n + 1)) > "$SEEN"
            for word in "$@"; do printf '%s\\0' "$word"; done > "$SEEN.$n.words"
            : > "$SEEN.$n.input"
            for word in "$@"; do if [ "$word" = "@-" ]; then cat > "$SEEN.$n.input"; fi; done
        }
        . "$0"
        """

    /// What a curl was given.
    private struct Call {
        var words: [String]
        var input: [UInt8]
    }

    /// What each curl was given when the script of a trace with these requests ran.
    private func run(
        _ requests: [[UInt8]], arguments: [String] = []
    ) throws -> (calls: [Call], script: String) {
        let world = try TraceWorld()
        let writer = try world.writer()
        var talk = Conversation(1)
        _ = writer.put(talk.opening())
        for request in requests {
            _ = writer.put([
                talk.chunk(.client, request),
                talk.chunk(.server, Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)),
            ])
        }
        writer.finish()
        try CurlScript().run(from: world.path("a.tape"), to: world.path("a.sh"))
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.runner, world.path("a.sh")] + arguments
        shell.environment = ["PATH": "/usr/bin:/bin", "SEEN": world.path("seen")]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        var calls: [Call] = []
        while let words = FileManager.default.contents(
            atPath: world.path("seen.\(calls.count).words"))
        {
            let input = FileManager.default.contents(
                atPath: world.path("seen.\(calls.count).input"))
            calls.append(
                Call(
                    words: words.split(separator: 0, omittingEmptySubsequences: false).dropLast()
                        .map { String(decoding: $0, as: UTF8.self) },
                    input: [UInt8](input ?? Data())))
        }
        return (calls, try world.text("a.sh"))
    }

    private func request(
        _ line: String, _ fields: [String] = [], body: [UInt8] = []
    ) -> [UInt8] {
        var head = "\(line)\r\nHost: example.org\r\n"
        for field in fields { head += field + "\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    @Test func `gives curl each request, and nothing of its own`() throws {
        let (calls, script) = try run(
            [
                request("GET /a?b=c HTTP/1.1", ["X-It: it's $HOME `id`", "X-None:"]),
                request(
                    "POST /up HTTP/1.1", ["Content-Type: text/plain", "User-Agent: me"],
                    body: Array("@/etc/passwd 'quoted'\nline".utf8)),
            ], arguments: ["--insecure"])
        try #require(calls.count == 2)
        let first = calls[0].words
        #expect(first.contains("--insecure"))
        #expect(first.contains("X-It: it's $HOME `id`"))
        #expect(first.contains("X-None;"))
        #expect(first.contains("User-Agent:"))
        #expect(first.contains("Accept:"))
        #expect(first.contains("http://example.org/a?b=c"))
        #expect(!first.contains { $0.hasPrefix("Host") })
        let second = calls[1].words
        let data = try #require(second.firstIndex(of: "--data-raw"))
        #expect(second[data + 1] == "@/etc/passwd 'quoted'\nline")
        #expect(second.contains("User-Agent: me"))
        #expect(!second.contains("--request"))
        #expect(script.contains("# exchange 2, 2023-11-14T"))
    }

    @Test func `what a terminal would act on is written in octal`() throws {
        let escape = "\u{1B}[31mred\u{9B}0m"
        let (calls, script) = try run([
            request("GET /\u{1B}]0;title HTTP/1.1", ["X-It: \(escape)", "X-Plain: caf\u{E9}"]),
            request("POST /up HTTP/1.1", ["Content-Type: text/plain"], body: Array(escape.utf8)),
        ])
        #expect(!script.unicodeScalars.contains("\u{1B}") && !script.contains("\u{9B}"))
        #expect(script.contains("'X-Plain: caf\u{E9}'"))
        try #require(calls.count == 2)
        #expect(calls[0].words.contains("X-It: \(escape)"))
        #expect(calls[0].words.contains("/\u{1B}]0;title"))
        #expect(calls[1].input == Array(escape.utf8))
    }

    @Test func `gives bodies of any bytes on standard input`() throws {
        let binary = (0...255).map { UInt8($0) } + [0x25, 0x64, 0x5C, 0x6E]
        let long = [UInt8](repeating: 0x61, count: 70_000)
        for body in [binary, long] {
            let (calls, _) = try run([request("PUT /b HTTP/1.1", body: body)])
            #expect(calls.map(\.input) == [body])
            #expect(calls.first?.words.contains("PUT") == true)
        }
    }

    @Test func `sends a target as it was where curl would change or refuse it`() throws {
        let (calls, _) = try run([
            request("GET /a/../b\\c HTTP/1.1"), request("OPTIONS * HTTP/1.1"),
            request("GET /[1-9]{a,b} HTTP/1.1"),
        ])
        try #require(calls.count == 3)
        #expect(
            calls[0].words.suffix(3) == ["--request-target", "/a/../b\\c", "http://example.org/"])
        #expect(calls[1].words.suffix(3) == ["--request-target", "*", "http://example.org/"])
        #expect(calls[2].words.last == "http://example.org/[1-9]{a,b}")
        #expect(calls[2].words.contains("--globoff"))
    }

    @Test func `what cannot be sent again is a comment`() throws {
        let world = try TraceWorld()
        let writer = try world.writer()
        var talk = Conversation(1)
        _ = writer.put(talk.opening() + talk.simperium(changes: 1))
        writer.finish()
        let outcome = try CurlScript().run(from: world.path("a.tape"), to: world.path("a.sh"))
        #expect(outcome == CurlScript.Outcome(commands: 0, comments: 1))
        #expect(try world.text("a.sh").contains("# A WebSocket, which curl does not repeat."))
    }
}

extension CurlScript.Outcome {
    init(commands: Int64, comments: Int64) {
        self.init()
        self.commands = commands
        self.comments = comments
    }
}
