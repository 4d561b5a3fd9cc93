import Dissection
import Faults
import Foundation
import Sessions
import Testing
import Trace
import Wire

@testable import Diagnosis
@testable import Proxying

/// A script as the proxy records it under a plan: relays, judges and gates as they are, without
/// sockets, and a trace that is read as `diagnose` reads it.
struct ProxiedScript {
    private struct Line {
        var relay: Relay
        var judge: ConnectionJudge
        let client: LegID
        var server: LegID?
        var closed: Set<LegID> = []
        var alarms: Set<Instant> = []
    }

    private enum Happening {
        case accepted
        case event(RelayEvent)
        case act(Firing)
    }

    private static let address = ServerAddress(host: "server.example", port: 80, isTLS: false)

    private let session: FaultSession
    private var lines: [ConnectionID: Line] = [:]
    private var records: [Record] = []
    private var events: [(connection: ConnectionID, event: Happening)] = []
    private var isRunning = false

    private init(_ rules: [String]) throws {
        var plan = FaultPlan()
        for rule in rules { plan = try plan.adding(line: rule) }
        session = FaultSession(plan: plan, seed: 1)
    }

    /// What a diagnosis sees when what happens, in order of time, meets these rules.
    static func evidence(
        of entries: [SessionScript.Entry], under rules: [String], until end: Instant
    ) throws -> [Evidence] {
        var proxy = try Self(rules)
        for entry in entries where !entry.isCalm {
            switch entry.what {
            case .record(let record): proxy.take(record)
            case .act(let id, let action):
                let at = Instant(nanoseconds: entry.at)
                proxy.pass(to: at)
                let firing = Firing(
                    rule: "by hand", action: try FaultAction.parse(action), scope: "",
                    occurrence: 1, draw: 1)
                proxy.happen(id, .act(firing), at)
            }
        }
        proxy.pass(to: end)
        return try evidence(in: proxy.records)
    }

    // MARK: The proxy

    private mutating func take(_ record: Record) {
        switch record {
        case .connection(let row):
            pass(to: row.at)
            accept(row)
        case .chunk(let chunk):
            pass(to: chunk.at)
            guard let line = lines[chunk.connection] else { return }
            let leg = chunk.sender == .client ? line.client : line.server
            guard let leg, !line.closed.contains(leg) else { return }
            happen(chunk.connection, .event(.received(leg, chunk.bytes)), chunk.at)
        case .event(let row):
            pass(to: row.at)
            guard let id = row.connection, let line = lines[id], let leg = row.leg,
                line.client == leg || line.server == leg
            else { return }
            close(id, leg, isReset: row.detail == "reset", row.at)
        case .gap(let row):
            pass(to: row.at)
            records.append(record)
        default: break
        }
    }

    private mutating func accept(_ row: ConnectionRow) {
        let next = Legs(SessionScript.leg(row.id, .server).rawValue)
        let client = SessionScript.leg(row.id, .client)
        let host = row.client.split(separator: ":").first.map(String.init) ?? row.client
        let relay = Relay(
            connection: row,
            clientLeg: LegRow(
                id: client, connection: row.id, peer: .client, at: row.at, host: host, port: 5000),
            settings: RelaySettings(mode: .reverse(Self.address), keepsHost: true),
            nextLeg: next.take)
        lines[row.id] = Line(
            relay: relay, judge: ConnectionJudge(session, sessionID: SessionID(1)), client: client)
        happen(row.id, .accepted, row.at)
    }

    private mutating func close(
        _ id: ConnectionID, _ leg: LegID, isReset: Bool, _ at: Instant
    ) {
        guard lines[id]?.closed.insert(leg).inserted == true else { return }
        happen(id, .event(.closed(leg, isReset: isReset, isReset ? "reset" : "")), at)
    }

    /// Wakes whoever asked to be woken, up to this moment.
    private mutating func pass(to now: Instant) {
        while let next = lines.compactMap({ id, line in line.alarms.min().map { ($0, id) } })
            .min(by: { ($0.0, $0.1.rawValue) < ($1.0, $1.1.rawValue) }), next.0 <= now
        {
            lines[next.1]?.alarms.remove(next.0)
            happen(next.1, .event(.woke), next.0)
        }
    }

    /// One thing at a time, as the proxy's sockets do.
    private mutating func happen(_ id: ConnectionID, _ event: Happening, _ at: Instant) {
        events.append((id, event))
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while !events.isEmpty {
            let (id, event) = events.removeFirst()
            guard var line = lines[id] else { continue }
            var commands: [RelayCommand] = []
            switch event {
            case .accepted: line.judge.accepted(at: at, relay: &line.relay, into: &commands)
            case .event(let event):
                line.judge.handle(event, at: at, relay: &line.relay, into: &commands)
            case .act(let firing):
                let isDone = line.judge.fire(
                    firing, at: at, relay: &line.relay, into: &commands)
                if !isDone, line.closed.isEmpty {
                    Issue.record("\(firing.action) cannot be carried out")
                }
            }
            lines[id] = line
            for command in commands { carryOut(command, id, at) }
        }
    }

    private mutating func carryOut(_ command: RelayCommand, _ id: ConnectionID, _ at: Instant) {
        switch command {
        case .record(let record): records.append(record)
        case .connect(let leg, _):
            lines[id]?.server = leg
            happen(id, .event(.ready(leg)), at)
        case .close(let leg, let isReset): close(id, leg, isReset: isReset, at)
        case .wake(let moment): lines[id]?.alarms.insert(moment)
        default: break
        }
    }

    // MARK: The trace

    private static func evidence(in records: [Record]) throws -> [Evidence] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.tape").path
        let writer = try TraceWriter(
            path: path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "", startedUnixNanoseconds: 0))
        _ = writer.put(records)
        writer.finish()
        let batches = EvidenceBatches(
            path: path, session: SessionID(1),
            bounds: try EvidenceBounds(TraceReader(path: path)))
        var all: [Evidence] = []
        while let batch = try batches.next() { all += batch.evidence }
        return all
    }
}

/// Numbers of the legs that one relay opens.
private final class Legs {
    private let first: Int64
    private var count: Int64 = 0

    init(_ first: Int64) { self.first = first }

    /// The first as scripts number it, further ones beyond what scripts use.
    func take() -> LegID {
        defer { count += 1 }
        return LegID(first + 1_000_000 * count)
    }
}
