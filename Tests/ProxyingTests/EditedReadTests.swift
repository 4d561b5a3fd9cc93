import Faults
import Testing
import Wire

@testable import Proxying

private let origin = ServerAddress(host: "a.example", port: 80, isTLS: false)
private let get = "GET /x HTTP/1.1\r\nHost: p\r\n\r\n"
private let sent = "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"
private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

/// What becomes of a read of which rules edit some.
@Suite struct EditedReadTests {
    @Test func `sends and records an edited answer in one piece`() throws {
        var play = Playbook(.reverse(origin), rules: try FaultSession("=> set-header A b"))
        play.client(get, .connect(2, "a.example:80"))
        play.on(.ready(LegID(2)), .send(2, sent))
        let edited = ok.replacing("\r\n\r\n", with: "\r\nA: b\r\n\r\n")
        play.server(2, ok, .send(1, edited))
        #expect(play.answers.map { String(decoding: $0.bytes, as: UTF8.self) } == [ok])
        #expect(
            play.answers.map(\.patches) == [
                [Patch(offset: 36, removed: 0, inserted: Array("A: b\r\n".utf8), reason: .fault)]
            ])
        // What another read brought has a chunk of its own.
        play.client(get, .send(2, sent))
        play.server(2, String(ok.dropLast()), .send(1, String(edited.dropLast())))
        play.server(2, "i", .send(1, "i"))
        #expect(play.answers.count == 3)
        play.client(get + get, .send(2, sent + sent))
        play.server(2, ok + ok, .send(1, edited), .send(1, edited))
        #expect(play.received.suffix(2) == ["server: \(edited)", "server: \(edited)"])
    }
}
