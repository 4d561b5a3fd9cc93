import Testing
import Wire

@testable import Proxying

@Suite struct RefusalTests {
    private let loop = Refusal.loop("127.0.0.1:8080")

    private func answer(_ status: String, _ text: String, fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r\n\(fields)Connection: close\r\n\r\n\(text)"
    }

    private func relay() -> Relay {
        Relay(
            connection: ConnectionRow(
                id: ConnectionID(1), at: .zero, listener: "127.0.0.1:8080",
                client: "127.0.0.1:5000", mode: .forward),
            clientLeg: LegRow(
                id: LegID(1), connection: ConnectionID(1), peer: .client, at: .zero,
                host: "127.0.0.1", port: 5000),
            settings: RelaySettings(mode: .forward), nextLeg: { LegID(2) })
    }

    /// What a refusal makes the sockets do, and the chunks and events that it leaves.
    private func refuse(_ text: String) -> (steps: [Playbook.Step], rows: [String]) {
        var relay = relay()
        var commands: [RelayCommand] = []
        relay.refuse(loop, Array(text.utf8), .zero, &commands)
        let rows = commands.compactMap { command -> String? in
            switch command {
            case .record(.chunk(let chunk)):
                let who = chunk.origin == .tapedeck ? "tapedeck" : "\(chunk.sender)"
                return "\(who) \(chunk.bytes.count)"
            case .record(.event(let event)): return event.kind.rawValue
            default: return nil
            }
        }
        return (commands.compactMap(Playbook.Step.init), rows)
    }

    @Test func `a client that is refused gets an answer with the reason, and the trace has both`() {
        let text = "GET http://127.0.0.1:8080/ HTTP/1.1\r\n\r\n"
        let expected = answer("508 Loop Detected", "tapedeck: \(loop.detail)\n")
        let (steps, rows) = refuse(text)
        #expect(steps == [.send(1, expected), .end(1)])
        #expect(
            rows == ["warning", "client \(text.utf8.count)", "tapedeck \(expected.utf8.count)"])
    }

    @Test func `a client that begins with TLS is hung up on`() {
        let (steps, rows) = refuse("\u{16}\u{3}\u{1}")
        #expect(steps == [.close(1)])
        #expect(rows == ["warning", "client 3"])
    }

    @Test func `a server that was not opened for want of descriptors is no bad gateway`() {
        var play = Playbook(.reverse(ServerAddress(host: "o.example", port: 80, isTLS: false)))
        play.client(
            "GET / HTTP/1.1\r\nHost: o.example\r\n\r\n", .connect(2, "o.example:80"))
        let refusal = Refusal(status: 503, phrase: "Service Unavailable", detail: "none left")
        let text = "tapedeck: could not reach o.example:80: none left\n"
        play.on(
            .declined(LegID(2), refusal),
            .send(1, answer("503 Service Unavailable", text, fields: "Retry-After: 10\r\n")),
            .end(1))
        #expect(play.events == [.refused])
    }
}
