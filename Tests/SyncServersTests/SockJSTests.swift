import NIOCore
import Synchronization
import Testing

@testable import SyncServers

struct SockJSTests {
    /// A clock that goes when it is told to.
    final class VirtualTime: Sendable {
        private struct Beat {
            var loop: any EventLoop
            var interval: TimeAmount
            var due: Int64
            var action: @Sendable () -> Void
        }

        private struct State {
            var now: Int64 = 0
            var beats: [Int: Beat] = [:]
            var count = 0
        }

        private let state = Mutex(State())
        private let started: AsyncStream<Void>.Continuation
        /// Has an element for each socket that has heartbeats.
        let starts: AsyncStream<Void>

        init() { (starts, started) = AsyncStream.makeStream() }

        /// How many sockets have heartbeats.
        var running: Int { state.withLock { $0.beats.count } }

        var heartbeats: Heartbeats {
            Heartbeats { loop, interval, action in
                let number = self.state.withLock { state in
                    state.count += 1
                    state.beats[state.count] = Beat(
                        loop: loop, interval: interval, due: state.now + interval.nanoseconds,
                        action: action)
                    return state.count
                }
                self.started.yield()
                return { self.state.withLock { _ = $0.beats.removeValue(forKey: number) } }
            }
        }

        /// Lets time pass; says how many heartbeats fell into it.
        func advance(_ amount: TimeAmount) -> Int {
            state.withLock { state in
                state.now += amount.nanoseconds
                var count = 0
                for key in state.beats.keys {
                    while let beat = state.beats[key], beat.due <= state.now {
                        beat.loop.execute(beat.action)
                        state.beats[key]?.due += beat.interval.nanoseconds
                        count += 1
                    }
                }
                return count
            }
        }
    }

    @Test func `beats every 25 s until the socket closes`() async throws {
        let time = VirtualTime()
        var options = SyncServer.Options()
        options.heartbeats = time.heartbeats
        let server = try await SyncServer.start(options: options)
        let head =
            "GET /sock/1/app/000/session/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Version: 13\r\n\r\n"
        async let talk = SyncServerTests().talk(server.port, Array(head.utf8))
        for await _ in time.starts { break }
        #expect(time.advance(.seconds(24)) == 0)
        #expect(time.advance(.seconds(1)) == 1)
        #expect(time.advance(.seconds(50)) == 2)
        await server.stop()
        let text = try await talk
        // Each frame is its length and its text; the first byte of it is not UTF-8.
        let frames = text.split(separator: "\u{FFFD}").map(String.init)
        #expect(frames.dropFirst().prefix(4) == ["\u{1}o", "\u{1}h", "\u{1}h", "\u{1}h"])
        #expect(frames.dropFirst(5).first?.contains("c[1001,\"The server ends\"]") == true)
        #expect(time.running == 0)
    }

    @Test func `has no heartbeats on a raw socket`() async throws {
        let time = VirtualTime()
        var options = SyncServer.Options()
        options.heartbeats = time.heartbeats
        let server = try await SyncServer.start(options: options)
        let head =
            "GET /sock/1/app/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Version: 13\r\n\r\n"
        // `h:0`, masked with zeros.
        let frame: [UInt8] = [0x81, 0x83, 0, 0, 0, 0] + Array("h:0".utf8)
        let text = try await SyncServerTests().talk(
            server.port, Array(head.utf8) + frame, until: "h:1")
        #expect(text.hasSuffix("\u{03}h:1"))
        #expect(time.running == 0)
        await server.stop()
    }

    @Test func `pings a raw socket where it is told to, until it closes`() async throws {
        let time = VirtualTime()
        var options = SyncServer.Options(notice: { _ in })
        options.heartbeats = time.heartbeats
        options.pingSeconds = 5
        let server = try await SyncServer.start(options: options)
        let head =
            "GET /sock/1/app/websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Version: 13\r\n\r\n"
        async let talk = SyncServerTests().talk(server.port, Array(head.utf8))
        for await _ in time.starts { break }
        #expect(time.advance(.seconds(4)) == 0)
        #expect(time.advance(.seconds(6)) == 2)
        await server.stop()
        // The first byte of each frame is not UTF-8; that of a ping has no length behind it.
        let frames = try await talk.split(separator: "\u{FFFD}").map(String.init)
        #expect(frames.dropFirst().prefix(2) == ["\u{0}", "\u{0}"])
        #expect(time.running == 0)
    }
}
