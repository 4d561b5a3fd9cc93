import Foundation
import Synchronization
import Wire

@testable import Control
@testable import Faults

/// A control interface without a proxy, in a folder of its own.
final class ControlFixture: Sendable {
    let session: FaultSession
    let folder: URL
    let notices = Mutex<[String]>([])
    /// An element for each notice.
    let noticed: AsyncStream<Void>
    private let notify: AsyncStream<Void>.Continuation
    let marks = Mutex<[MarkRow]>([])
    let fired = Mutex<[(Firing, ConnectionID?)]>([])
    let open = Mutex<[ControlConnection]>([])
    let held = Mutex<[HeldMessage]>([])
    let decided = Mutex<[HoldDecision]>([])

    init(_ yaml: String = "rules: []", seed: UInt64 = 42) throws {
        (noticed, notify) = AsyncStream.makeStream()
        session = FaultSession(plan: try FaultPlan.parse(yaml: yaml), seed: seed)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("control-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var socket: String { folder.appendingPathComponent("c.control").path }
    var plan: String { folder.appendingPathComponent("plan.yaml").path }

    func configuration() -> ControlConfiguration {
        var configuration = ControlConfiguration(
            session: session,
            connections: { [self] in open.withLock { $0 } },
            fire: { [self] firing, id in
                fired.withLock { $0.append((firing, id)) }
                return open.withLock { open in
                    open.filter { id == nil || id == $0.id }
                        .filter { firing.action.kind != .send || $0.isWebSocket }.map(\.id)
                }
            },
            now: { Instant(nanoseconds: 5_000_000_000) },
            mark: { [self] row in marks.withLock { $0.append(row) } },
            version: "0.1.0",
            notice: { [self] text in
                notices.withLock { $0.append(text) }
                notify.yield()
            })
        configuration.held = { [self] in held.withLock { $0 } }
        configuration.decide = { [self] id, decision in
            decided.withLock { $0.append(decision) }
            return held.withLock { $0.contains { $0.id == id } }
        }
        configuration.unixPath = socket
        return configuration
    }

    /// Opens connection 1, a WebSocket, and connection 2, which is none.
    func connect() {
        open.withLock {
            $0 = [
                ControlConnection(
                    id: ConnectionID(1), client: "127.0.0.1:5000", server: "127.0.0.1:8000",
                    openedAt: Instant(nanoseconds: 7), isWebSocket: true),
                ControlConnection(
                    id: ConnectionID(2), client: "127.0.0.1:5001", server: nil,
                    openedAt: Instant(nanoseconds: 8), isWebSocket: false),
            ]
        }
    }

    /// Has a request of connection 1 held, as h3, by a rule of this name.
    func hold(by rule: String = "hold-1") throws {
        let plan = try FaultPlan().adding(line: "=> hold name=\(rule)")
        let session = FaultSession(plan: plan, seed: 1)
        let bytes = Array(
            "POST /a HTTP/1.1\r\nHost: hq.example\r\nContent-Length: 2\r\n\r\nhi".utf8)
        var commands: [GateCommand] = []
        for _ in 0..<3 {
            var gate = FaultGate(
                GateContext(
                    connection: ConnectionID(1), session: SessionID(1), client: "127.0.0.1"),
                session: session)
            gate.take(
                bytes, from: .client, at: Instant(nanoseconds: 4_000_000_000), into: &commands)
        }
        let parked = commands.compactMap {
            if case .park(let message) = $0 { message } else { nil }
        }
        held.withLock { $0 = parked.suffix(1) }
    }

    /// Runs a test with the interface at work.
    func run(
        _ configuration: ControlConfiguration? = nil,
        _ test: (PlainClient, ControlServer) async throws -> Void
    ) async throws {
        let server = try await ControlServer.start(configuration ?? self.configuration())
        do {
            try await test(PlainClient(place: .unix(socket)), server)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}
