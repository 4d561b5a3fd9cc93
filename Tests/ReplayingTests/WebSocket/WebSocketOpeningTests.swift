import Testing
import Wire

@testable import Replaying

struct WebSocketOpeningTests {
    private static let exchange = RecordedExchange(
        id: ExchangeID(7), method: "GET", host: "api.example", path: "/chat",
        query: "token=recorded-token-0001&room=a", status: 101)

    private static func opening(
        _ identity: inout ReplayIdentity, answer: [ReplayMessage.Field] = []
    ) -> WebSocketOpening {
        let request = ReplayMessage(fields: [
            .init("Host", "api.example"), .init("Connection", "Upgrade, X-Hop"),
            .init("Upgrade", "websocket"), .init("X-Hop", "1"),
            .init("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            .init("Sec-WebSocket-Version", "13"),
            .init("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits"),
            .init("Sec-WebSocket-Protocol", "chat.v2, chat.v1"),
            .init("Origin", "http://api.example"), .init("Cookie", "session=recorded; theme=dark"),
            .init("Authorization", "Bearer recorded-token-0001"),
        ])
        let options = HTTPPlayOptions { _ in "http://127.0.0.1:8080" }
        return WebSocketOpening(
            exchange, HTTPRecording(request: request, response: ReplayMessage(fields: answer)),
            options: options, &identity)
    }

    @Test func `asks for the same with what belongs to this run`() {
        var identity = ReplayIdentity(seed: 1)
        identity.bind(.token, recorded: "recorded-token-0001", live: "live-token-4711")
        identity.bind(.cookie, recorded: "session=recorded", live: "session=live")
        let opening = Self.opening(&identity)
        #expect(opening.request.target == "/chat?token=live-token-4711&room=a")
        #expect(
            opening.request.fields.map { "\($0.name): \($0.value)" } == [
                "Sec-WebSocket-Protocol: chat.v2, chat.v1", "Origin: http://127.0.0.1:8080",
                "Cookie: session=live; theme=dark", "Authorization: Bearer live-token-4711",
            ])
        #expect(opening.extensions == ["permessage-deflate; client_max_window_bits"])
        var verbatim = ReplayIdentity(seed: 1, isVerbatim: true)
        let same = Self.opening(&verbatim)
        #expect(same.request.target == "/chat?token=recorded-token-0001&room=a")
        #expect(same.request.value("cookie") == "session=recorded; theme=dark")
    }

    @Test func `compares the answer, and carries its cookies on`() {
        var identity = ReplayIdentity(seed: 1)
        let opening = Self.opening(
            &identity,
            answer: [
                .init("Upgrade", "websocket"), .init("Sec-WebSocket-Accept", "x"),
                .init("Sec-WebSocket-Extensions", "permessage-deflate"),
                .init("Sec-WebSocket-Protocol", "chat.v2"), .init("Set-Cookie", "seat=1"),
            ])
        let same = opening.opened(
            ReplayMessage(fields: [
                .init("upgrade", "WebSocket"), .init("Sec-WebSocket-Accept", "y"),
                .init("sec-websocket-protocol", "chat.v2"), .init("Set-Cookie", "seat=2"),
            ]), &identity)
        #expect(same.items == [])
        #expect(identity.live(.cookie, "seat=1") == "seat=2")
        let other = opening.opened(
            ReplayMessage(fields: [.init("Sec-WebSocket-Protocol", "chat.v1")]), &identity)
        #expect(
            other.items.map(\.description) == [
                #"header sec-websocket-protocol: recorded "chat.v2", received "chat.v1""#
            ])
        #expect(
            opening.refused(403).items.map(\.description) == ["status: recorded 101, received 403"])
    }
}
