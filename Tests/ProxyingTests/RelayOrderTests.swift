import Testing
import Wire

@testable import Proxying

@Suite struct RelayOrderTests {
    @Test func `what a server sends to a client that has gone stands in the trace as it came`() {
        var play = Playbook(.reverse(ServerAddress(host: "o.example", port: 80, isTLS: false)))
        let request = "GET / HTTP/1.1\r\nHost: o.example\r\n\r\n"
        play.client(request, .connect(2, "o.example:80"))
        play.on(.ready(LegID(2)), .send(2, request))
        // Held, since the rest of the head may have to be rewritten.
        play.server(2, "HTTP/1.1 200 OK\r\nLoca")
        play.on(.closed(Playbook.client, isReset: true, "reset"), .reset(2))
        play.server(2, "tion: /\r\n\r\n")
        play.on(.closed(LegID(2), isReset: false, "closed"))
        #expect(
            play.chunks == [
                "client: \(request)", "server: HTTP/1.1 200 OK\r\nLoca", "server: tion: /\r\n\r\n",
            ])
    }
}
