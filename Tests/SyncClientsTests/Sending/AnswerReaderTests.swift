import Testing

@testable import SyncClients

/// Answers to requests that are sent again, without sockets.
struct AnswerReaderTests {
    /// Reads `text` in pieces of `size` bytes, and the end of the stream where `ends`.
    private static func read(
        _ text: String, method: String = "GET", size: Int, ends: Bool
    ) -> AnswerReader.Progress {
        var reader = AnswerReader(method: method)
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let progress = reader.consume(Array(bytes[start..<min(start + size, bytes.count)]))
            if progress != .more { return progress }
        }
        return ends ? reader.endOfStream("the server closed the connection") : .more
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "GET", "abc"),
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", "GET",
                "a"
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
                "GET", "abc"
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", "HEAD", ""),
            ("HTTP/1.1 204 No Content\r\n\r\n", "GET", ""),
        ], [1, 2, 7, 1_000])
    func `it ends where it is framed`(
        each: (text: String, method: String, content: String), size: Int
    ) {
        guard
            case .done(let answer) = Self.read(
                each.text, method: each.method, size: size, ends: false)
        else {
            Issue.record("it has no end")
            return
        }
        #expect(answer.content == Array(each.content.utf8))
        #expect(answer.problem == nil)
    }

    @Test(arguments: [1, 3, 1_000]) func `it ends with the stream`(size: Int) {
        let text = "HTTP/1.0 200 OK\r\n\r\nabc"
        #expect(Self.read(text, size: size, ends: false) == .more)
        guard case .done(let answer) = Self.read(text, size: size, ends: true) else {
            Issue.record("it has no end")
            return
        }
        #expect(answer.content == Array("abc".utf8) && answer.problem == nil)
    }

    @Test func `one that is cut says so`() {
        guard
            case .done(let answer) = Self.read(
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", size: 100, ends: true)
        else {
            Issue.record("it has no end")
            return
        }
        #expect(answer.content == Array("abc".utf8))
        #expect(answer.problem == "it is incomplete: the server closed the connection")
    }

    @Test func `what is no answer fails`() {
        #expect(Self.read("", size: 1, ends: true) == .failed("the server closed the connection"))
        #expect(
            Self.read("SSH-2.0-x\r\n", size: 100, ends: false)
                == .failed(
                    "what the server sends is no answer of HTTP: no HTTP start line at byte 0"))
    }
}
