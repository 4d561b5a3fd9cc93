import Testing
import Wire

@testable import Dissection

@Suite struct SchemeTests {
    @Test func `of a server behind a reverse proxy that cannot be reached`() throws {
        var stage = Stage(isServerTLS: true)
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.event(.refused, Stage.server, detail: "connection refused")
        stage.detail(
            .server, Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8),
            origin: .tapedeck)
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.scheme == "https")
        #expect(row.port == 443)
        #expect(row.status == 502)
    }

    @Test func `of a plain server behind a reverse proxy with TLS`() throws {
        var stage = Stage(isServerTLS: false)
        stage.event(.tls, Stage.client)
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.event(.refused, Stage.server, detail: "connection refused")
        let row = try #require(stage.finish().exchanges.first)
        #expect(row.scheme == "http")
    }

    @Test func `of requests through a proxy that is spoken to in TLS`() {
        var stage = Stage(mode: .forward)
        stage.event(.tls, Stage.client)
        stage.detail(.client, "GET http://o.example/1 HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        stage.detail(.client, "CONNECT o.example:80 HTTP/1.1\r\nHost: o.example:80\r\n\r\n")
        stage.detail(
            .server, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), origin: .tapedeck)
        stage.detail(.client, "GET /2 HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let rows = stage.finish().exchanges
        #expect(rows.map(\.path) == ["/1", "", "/2"])
        #expect(rows.map(\.scheme) == ["http", "http", "http"])
        #expect(rows.map(\.port) == [80, 80, 80])
    }

    @Test func `of requests in a tunnel with TLS in it, through a proxy that is spoken to in TLS`()
    {
        var stage = Stage(mode: .forward)
        stage.event(.tls, Stage.client)
        stage.detail(.client, "CONNECT o.example:443 HTTP/1.1\r\nHost: o.example:443\r\n\r\n")
        stage.detail(
            .server, Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), origin: .tapedeck)
        stage.event(.tls, Stage.client)
        stage.detail(.client, "GET /2 HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(stage.finish().exchanges.map(\.scheme) == ["http", "https"])
    }

    @Test func `of what is said in a tunnel that the server of a reverse proxy opened`() {
        var stage = Stage(isServerTLS: true)
        stage.event(.tls, Stage.server)
        stage.detail(.client, "CONNECT o.example:80 HTTP/1.1\r\nHost: o.example:80\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\n\r\n")
        stage.detail(.client, "GET /2 HTTP/1.1\r\nHost: o.example\r\n\r\n")
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let rows = stage.finish().exchanges
        #expect(rows.map(\.api) == ["connect", "http"])
        #expect(rows.last?.scheme == "http")
        #expect(rows.last?.status == 200)
    }

    @Test func `a change to another protocol than WebSocket is no WebSocket`() {
        var stage = Stage()
        stage.detail(
            .client,
            "GET / HTTP/1.1\r\nHost: o\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
        )
        stage.detail(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        stage.detail(
            .client,
            "GET /s HTTP/1.1\r\nHost: o\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        )
        stage.detail(.server, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        #expect(stage.finish().exchanges.map(\.api) == ["http", "websocket"])
    }
}
