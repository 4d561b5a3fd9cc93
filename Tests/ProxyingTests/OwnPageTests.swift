import Testing
import Wire

@testable import Proxying

@Suite struct OwnPageTests {
    private func relay(_ mode: RelaySettings.Mode) -> Relay {
        var settings = RelaySettings(mode: mode)
        settings.ownPages = [
            "/": OwnPage(type: "text/html", content: Array("<p>".utf8)),
            "/ca.crt": OwnPage(type: "application/x-x509-ca-cert", content: [0x30, 0xFF]),
        ]
        return Relay(
            connection: ConnectionRow(
                id: ConnectionID(1), at: .zero, listener: "127.0.0.1:8080",
                client: "127.0.0.1:5000", mode: mode == .forward ? .forward : .reverse),
            clientLeg: LegRow(
                id: LegID(1), connection: ConnectionID(1), peer: .client, at: .zero,
                host: "127.0.0.1", port: 5000),
            settings: settings, nextLeg: { LegID(2) })
    }

    /// The bytes that the client gets, and the servers that are connected to.
    private func ask(
        _ text: String, _ mode: RelaySettings.Mode = .forward
    ) -> (answer: [UInt8], servers: [String]) {
        var relay = relay(mode)
        var answer: [UInt8] = []
        var servers: [String] = []
        var commands: [RelayCommand] = []
        relay.handle(.received(LegID(1), Array(text.utf8)), at: .zero, into: &commands)
        for command in commands {
            switch command {
            case .send(LegID(1), let bytes): answer += bytes
            case .connect(_, let server): servers.append("\(server)")
            default: break
            }
        }
        return (answer, servers)
    }

    private static let get = "GET http://tapedeck/ca.crt HTTP/1.1\r\nHost: tapedeck\r\n\r\n"

    @Test func `a client gets the certificate through the proxy`() {
        let (answer, servers) = ask(Self.get)
        let head =
            "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            + "Content-Type: application/x-x509-ca-cert\r\nContent-Length: 2\r\n"
            + "Connection: close\r\n\r\n"
        #expect(answer == Array(head.utf8) + [0x30, 0xFF])
        #expect(servers.isEmpty)
    }

    @Test(arguments: ["GET http://Tapedeck HTTP/1.1", "GET http://tapedeck/?x=1 HTTP/1.1"])
    func `the page has any spelling`(line: String) {
        let text = String(decoding: ask("\(line)\r\nHost: tapedeck\r\n\r\n").answer, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n<p>"))
    }

    @Test func `other paths and other hosts are not ours`() {
        let missing = ask("GET http://tapedeck/x HTTP/1.1\r\nHost: tapedeck\r\n\r\n").answer
        #expect(String(decoding: missing, as: UTF8.self).hasPrefix("HTTP/1.1 404 "))
        #expect(ask("GET http://tapedeck.org/ HTTP/1.1\r\nHost: a\r\n\r\n").servers.count == 1)
        let server = ServerAddress(host: "o.example", port: 80, isTLS: false)
        let reverse = ask("GET / HTTP/1.1\r\nHost: o.example\r\n\r\n", .reverse(server))
        #expect(reverse.answer.isEmpty && reverse.servers.count == 1)
    }

    @Test(arguments: ["127.0.0.1:8080", "192.168.1.2", "[::1]:8080", "localhost", "tapedeck.test"])
    func `the listener's own address has the page, too`(host: String) {
        let (answer, servers) = ask("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("<p>") && servers.isEmpty)
    }

    @Test(arguments: ["Host: shop.test\r\n", "Host: shop\r\n", ""])
    func `a client that takes the proxy for a server is told so`(host: String) {
        let text = String(
            decoding: ask("GET / HTTP/1.1\r\n\(host)\r\n").answer, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `a tunnel to the pages is one to ourselves`() {
        var relay = relay(.forward)
        var commands: [RelayCommand] = []
        let text = "CONNECT tapedeck.test:443 HTTP/1.1\r\n\r\n"
        relay.handle(
            .received(LegID(1), Array(text.utf8) + helloRecord(name: "tapedeck.test")),
            at: .zero, into: &commands)
        let steps = commands.compactMap(Playbook.Step.init)
        #expect(
            steps == [
                .send(1, "HTTP/1.1 200 Connection established\r\n\r\n"),
                .secureClient("tapedeck.test"),
            ])
    }

    @Test func `a part of it is about the client`() {
        let page = OwnPage(type: "t", content: Array("<p>*</p>".utf8), clientMark: "*")
        #expect(page.filled { "curl" }.content == Array("<p>curl</p>".utf8))
        #expect(OwnPage(type: "t", content: [42]).filled { "curl" }.content == [42])
        let clients = ClientList()
        let first = ClientTrust.Handshake(host: "a.test", unixSeconds: 1)
        let second = ClientTrust.Handshake(host: "b.test", unixSeconds: 2, failure: "no")
        clients.note(first, of: "10.0.0.1")
        clients.note(second, of: "10.0.0.1")
        #expect(clients.client(at: "10.0.0.1").accepted == first)
        #expect(clients.client(at: "10.0.0.1").refused == second)
        #expect(clients.client(at: "10.0.0.2") == ClientTrust(address: "10.0.0.2"))
        for number in 0..<1_100 {
            clients.note(.init(host: "a", unixSeconds: Int64(10 + number)), of: "\(number)")
        }
        let known = (0..<1_100).filter { clients.client(at: "\($0)").accepted != nil }
        #expect(known.count == 1_000 && clients.client(at: "10.0.0.1").accepted == nil)
    }

    @Test func `HEAD has no content`() {
        let text = Self.get.replacing("GET", with: "HEAD")
        let answer = String(decoding: ask(text).answer, as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\n"))
    }
}
