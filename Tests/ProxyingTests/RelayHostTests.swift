import Testing
import Wire

@testable import Proxying

/// A reverse proxy on this machine answers to its own names, so that no page of another site gets
/// to the server behind it.
struct RelayHostTests {
    private static let origin = ServerAddress(host: "origin.example", port: 8000, isTLS: false)

    private static func request(_ host: String) -> String {
        "GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    }

    private static func steps(_ host: String, hosts: [String]?) -> [Playbook.Step] {
        var play = Playbook(.reverse(origin), hosts: hosts)
        return play.steps(
            after: .received(Playbook.client, Array(request(host).utf8)))
    }

    @Test(arguments: [
        "127.0.0.1:8080", "[::1]:8080", "localhost", "LOCALHOST:1", "deep.down.localhost", "laptop",
        "laptop.:80", "10.0.2.2", "origin.example", "Origin.Example:8000", "mine.example",
        "a.ours.example:9",
    ])
    func `its own names pass`(host: String) {
        let steps = Self.steps(host, hosts: ["mine.example", "*.ours.example"])
        #expect(steps == [.connect(2, "origin.example:8000")])
    }

    @Test(arguments: [
        "evil.example", "evil.example.", "127.0.0.1.evil.example", "localhost.evil.example:8080",
        "origin.example.evil.example", "ours.example", "1.2.3.4.5",
    ])
    func `other names get 421 with the way out`(host: String) {
        let steps = Self.steps(host, hosts: ["mine.example", "*.ours.example"])
        guard case .send(1, let text)? = steps.first, steps.count == 2 else {
            Issue.record("\(steps)")
            return
        }
        #expect(text.hasPrefix("HTTP/1.1 421 Misdirected Request\r\nDate: "))
        #expect(text.contains("--host "))
        #expect(steps.last == .end(1))
    }

    @Test func `a refusal waits for the answers before it`() {
        var play = Playbook(.reverse(Self.origin), hosts: [])
        let both = Self.request("localhost") + Self.request("evil.example")
        let before = play.steps(after: .received(Playbook.client, Array(both.utf8)))
        #expect(before.first == .connect(2, "origin.example:8000"))
        #expect(!before.description.contains("421"))
        _ = play.steps(after: .ready(LegID(2)))
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let after = play.steps(after: .received(LegID(2), Array(answer.utf8)))
        #expect(after.first == .send(1, answer))
        #expect(after.dropFirst().first?.description.contains("421") == true)
    }

    @Test func `without a list any name passes, and so does none`() {
        #expect(Self.steps("evil.example", hosts: nil).count == 1)
        var play = Playbook(.reverse(Self.origin), hosts: [])
        play.client("GET /x HTTP/1.0\r\n\r\n", .connect(2, "origin.example:8000"))
    }
}
