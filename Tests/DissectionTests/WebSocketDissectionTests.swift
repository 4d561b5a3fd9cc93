import Framing
import Testing
import Wire

@testable import Dissection

private let upgrade =
    "GET /sock/1/app-1/websocket HTTP/1.1\r\nHost: api.simperium.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
private let switched =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

private func frame(_ text: String, mask: UInt32? = nil) -> [UInt8] {
    WebSocketFrameEncoder.encode(opcode: .text, payload: Array(text.utf8), mask: mask)
}

@Suite struct WebSocketDissectionTests {
    @Test func `finds the commands of a Simperium socket`() throws {
        var stage = Stage()
        stage.detail(.client, upgrade)
        stage.detail(.server, switched)
        stage.detail(
            .client,
            frame(
                #"0:init:{"clientid":"c","api":"1.1","token":"t","app_id":"app-1","name":"notes","library":"x","version":"1"}"#,
                mask: 7))
        stage.detail(.server, frame("0:auth:a@example.org"))
        stage.detail(
            .server,
            frame(
                ##"0:c:[{"clientid":"c","id":"k","o":"M","v":{"t":{"o":"+","v":"x"}},"ev":1,"cv":"c1","ccids":["a","b"]}]"##
            ) + frame("h:1"))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.api) == ["simperium.socket"])
        #expect(rows.commands.map(\.name) == ["init", "auth", "c", "h"])
        #expect(rows.commands.map(\.bucket) == ["notes", "notes", "notes", nil])
        #expect(rows.commands.map(\.app) == ["app-1", "app-1", "app-1", "app-1"])
        let change = try #require(rows.changes.first)
        #expect(change.key == "k")
        #expect(change.ev == 1)
        #expect(change.cv == "c1")
        #expect(change.ccid == "a b")
        #expect(rows.frames.first?.mask == 7)
        #expect(rows.messages.count == 4)
    }

    @Test func `knows Simperium by its first message at an unknown address`() {
        var stage = Stage()
        stage.detail(.client, upgrade.replacing("/sock/1/app-1/websocket", with: "/elsewhere"))
        stage.detail(.server, switched)
        stage.detail(.client, frame("0:init:{\"name\":\"b\"}", mask: 1))
        let rows = stage.finish()
        #expect(rows.exchanges.last?.api == "simperium.socket")
        #expect(rows.commands.map(\.bucket) == ["b"])
    }

    @Test func `tells what an init asks for`() {
        var stage = Stage()
        stage.detail(.client, upgrade)
        stage.detail(.server, switched)
        for cmd in ["cv:c1", "i:1:::50", "x:1"] {
            stage.detail(.client, frame("0:init:{\"name\":\"b\",\"cmd\":\"\(cmd)\"}", mask: 1))
        }
        let rows = stage.finish()
        #expect(rows.commands.map(\.request) == ["cv", "i", nil])
        #expect(rows.commands.map(\.cv) == ["c1", nil, nil])
        #expect(rows.commands.map(\.names) == [["init", "cv"], ["init", "i"], ["init"]])
    }

    @Test func `numbers the frames of a message`() {
        var stage = Stage()
        stage.detail(.client, upgrade)
        stage.detail(.server, switched)
        for (place, text) in ["a", "b", "c", "d"].enumerated() {
            stage.detail(
                .server,
                WebSocketFrameEncoder.encode(
                    opcode: place == 0 ? .text : .continuation, payload: Array(text.utf8),
                    fin: place == 3))
        }
        let rows = stage.finish()
        #expect(rows.frames.map(\.position) == [0, 1, 2, 3])
        #expect(rows.messages.map(\.frames) == [4])
    }

    @Test func `names as many channels as it may, and those anew`() {
        var limits = DissectionLimits()
        limits.channels = 1
        var stage = Stage(limits: limits)
        stage.detail(.client, upgrade)
        stage.detail(.server, switched)
        stage.detail(.client, frame("0:init:{\"name\":\"one\"}", mask: 1))
        stage.detail(.client, frame("0:init:{\"name\":\"other\"}", mask: 1))
        stage.detail(.client, frame("1:init:{\"name\":\"more\"}", mask: 1))
        #expect(stage.finish().commands.map(\.bucket) == ["one", "other", nil])
    }

    @Test func `leaves other sockets at messages`() {
        var stage = Stage()
        stage.detail(.client, upgrade.replacing("/sock/1/app-1/websocket", with: "/chat"))
        stage.detail(.server, switched)
        stage.detail(.client, frame("hello", mask: 1))
        let rows = stage.finish()
        #expect(rows.exchanges.last?.api == "websocket")
        #expect(rows.commands.isEmpty)
        #expect(rows.messages.count == 1)
    }

    @Test func `gives the frames of a fragmented message its number`() {
        var stage = Stage()
        stage.detail(.client, upgrade)
        stage.detail(.server, switched)
        stage.detail(
            .server,
            WebSocketFrameEncoder.encode(opcode: .text, payload: Array("h:".utf8), fin: false)
                + WebSocketFrameEncoder.encode(opcode: .ping, payload: [1])
                + WebSocketFrameEncoder.encode(opcode: .continuation, payload: Array("2".utf8)))
        let rows = stage.finish()
        #expect(rows.frames.map(\.message.rawValue) == [1, 2, 1])
        #expect(rows.frames.map(\.position) == [0, 0, 1])
        #expect(rows.messages.map(\.id.rawValue) == [2, 1])
        #expect(rows.commands.map(\.name) == ["h"])
    }

    @Test func `finds the next frame after bytes were lost`() {
        var stage = Stage()
        stage.detail(.client, upgrade)
        stage.detail(.server, switched)
        stage.detail(.server, frame("h:1"))
        stage.lost(.server)
        stage.detail(.server, [0xFF, 0xFF, 0x00])
        stage.detail(.server, frame("h:2") + frame("h:3"))
        stage.detail(.client, frame("h:4", mask: 3))
        let rows = stage.finish()
        #expect(
            rows.messages.map { String(decoding: $0.payload, as: UTF8.self) } == [
                "h:1", "h:2", "h:3", "h:4",
            ])
    }

    @Test func `unwraps SockJS`() {
        var stage = Stage()
        stage.detail(
            .client, upgrade.replacing("/app-1/websocket", with: "/app-1/000/abc/websocket"))
        stage.detail(.server, switched)
        stage.detail(.server, frame("o"))
        stage.detail(.client, frame(#"["0:init:{\"name\":\"n\"}","0:i::::10"]"#, mask: 2))
        let rows = stage.finish()
        #expect(rows.commands.map(\.name) == ["init", "i"])
        #expect(rows.commands.map(\.position) == [0, 1])
        #expect(
            rows.commands.map { String(decoding: $0.text ?? [], as: UTF8.self) }.last == "0:i::::10"
        )
    }

    @Test(arguments: [(13, 0), (20, 1)]) func `a SockJS frame is judged when all of it has come`(
        _ cut: Int, _ notes: Int
    ) {
        var stage = Stage()
        stage.detail(
            .client, upgrade.replacing("/app-1/websocket", with: "/app-1/000/abc/websocket"))
        stage.detail(.server, switched)
        stage.detail(.client, Array(frame(#"["0:i::::1"#, mask: 2).prefix(cut)))
        let codes = stage.finish().notes.map(\.code)
        #expect(codes.filter { $0 == "sockjs.malformed" }.count == notes)
    }

    /// The same bytes in any cuts give the same rows.
    @Test(arguments: 0..<40) func `does not depend on how bytes were cut`(seed: UInt64) {
        let client =
            Array(upgrade.utf8) + frame("0:init:{\"name\":\"notes\"}", mask: 77)
            + frame("0:i::::3", mask: 78)
        let first = Array(upgrade.utf8).count
        let server =
            Array(switched.utf8) + frame("0:auth:a@example.org")
            + frame("0:c:[{\"id\":\"k\",\"error\":409,\"ccids\":[\"x\"]}]")
        func run(_ cut: (Int) -> Int) -> [String] {
            var stage = Stage()
            func send(_ sender: Peer, _ bytes: ArraySlice<UInt8>) {
                var rest = bytes
                while !rest.isEmpty {
                    let count = min(rest.count, cut(rest.count))
                    stage.detail(sender, Array(rest.prefix(count)))
                    rest = rest.dropFirst(count)
                }
            }
            send(.client, client[..<first])
            send(.server, server[...])
            send(.client, client[first...])
            return stage.finish().withoutCuts
        }
        let whole = run { $0 }
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let cut = run { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return seed == 0 ? 1 : 1 + Int(state % 40)
        }
        #expect(cut == whole)
    }
}
