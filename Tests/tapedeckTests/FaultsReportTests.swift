import ArgumentParser
import Faults
import Foundation
import Testing
import Trace
import Wire

@testable import Sessions
@testable import tapedeck

/// A trace with one connection, written by hand.
private final class WrittenTrace {
    let path: String
    private let folder: URL
    private let connection = ConnectionID(1)

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("report-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("a.tape").path
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func writer() throws -> TraceWriter {
        try TraceWriter(
            path: path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "", startedUnixNanoseconds: 0,
                seed: 42))
    }

    var opening: [Record] {
        [
            .connection(
                ConnectionRow(
                    id: connection, at: .zero, listener: "127.0.0.1:1", client: "127.0.0.1:2",
                    mode: .reverse)),
            .leg(
                LegRow(
                    id: LegID(1), connection: connection, peer: .client, at: .zero,
                    host: "127.0.0.1", port: 2)),
            .leg(
                LegRow(
                    id: LegID(2), connection: connection, peer: .server, at: .zero,
                    host: "example.org", port: 80)),
        ]
    }

    func exchange(
        _ seconds: Int64, _ answer: String, fault: String? = nil, page: String = "restore"
    ) -> [Record] {
        let request = "GET /a/demo/phone/\(page)/ HTTP/1.1\r\nHost: example.org\r\n\r\n"
        let at = Instant(nanoseconds: seconds * 1_000_000_000)
        func chunk(_ sender: Peer, _ text: String) -> Record {
            .chunk(
                Chunk(
                    connection: connection, leg: LegID(sender == .client ? 1 : 2), sender: sender,
                    at: at, bytes: Array(text.utf8)))
        }
        var records = [chunk(.client, request), chunk(.server, answer)]
        if let fault {
            records.insert(
                .fault(
                    FaultRow(
                        at: at, rule: "over<load>", action: fault, connection: connection,
                        sender: .client)),
                at: 0)
        }
        return records
    }

    static let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n"
    static let bad = "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n"
    static let well = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
}

@Suite struct FaultsReportTests {
    @Test func `judges, stores and tells`() throws {
        let trace = try WrittenTrace()
        let writer = try trace.writer()
        let action = "status 503 retry-after=5"
        _ = writer.put(trace.opening + trace.exchange(1, WrittenTrace.busy, fault: action))
        _ = writer.put(trace.exchange(7, WrittenTrace.well))
        _ = writer.put([UnmatchedRule.record("never", at: .zero)])
        writer.flush()
        let early = try FaultJudgement.judge(trace: trace.path)
        #expect(early.count(.recovered) == 1)
        #expect(early.unstored == "the trace is being written")
        _ = writer.put(trace.exchange(9, WrittenTrace.bad, fault: "status 400"))
        writer.flush()
        #expect(try FaultJudgement.judge(trace: trace.path).count(.undecided) == 1)
        _ = writer.put(trace.exchange(10, WrittenTrace.well, page: "heartbeat"))
        writer.finish()
        let judgement = try FaultJudgement.judge(trace: trace.path)
        #expect(judgement.unstored == nil)
        #expect(judgement.count(.undecided) == 0)
        #expect(
            FaultsReportText.summary(judgement)
                == "2 faults: 1 recovered, 1 not recovered, 0 undecided")
        let stored = try TraceReader(path: trace.path).faults().map { $0.verdict?.verdict }
        #expect(stored == ["recovered", "not-recovered"])
        let table = FaultsReportText.table(judgement)
        #expect(table.contains("session 1, seed 42\n"))
        #expect(table.contains("exchange 2 answered 200; tried again after 6 s, Retry-After was 5"))
        #expect(table.contains("\n  rule never matched nothing\n"))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(FaultsReportText.json(judgement).utf8))
                as? [String: Any])
        #expect(json["recovered"] as? Int == 1)
        #expect(json["not-recovered"] as? Int == 1)
        let junit = FaultsReportText.junit(judgement)
        #expect(junit.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""))
        #expect(junit.contains("classname=\"over&lt;load&gt;\""))
        // Names are those of the next run, too; what differs is in properties.
        #expect(junit.contains("name=\"status 503 retry-after=5 #1\""))
        #expect(junit.contains("<properties><property name=\"seed\" value=\"42\"/></properties>"))
        #expect(
            junit.contains("<property name=\"at\" value=\"1.000 s\"/><property name=\"seed\""))
        let page = FaultsReportMarkdown.text(judgement, trace: "a|b.tape")
        #expect(page.hasPrefix("### tapedeck faults report a\\|b.tape\n\n2 faults: 1 recovered"))
        #expect(page.contains("\n| RULE | WHEN | WHAT | ACTION | VERDICT | HOW |\n| --- |"))
        #expect(
            page.contains("\n| over&lt;load> | 1.000 | \\#1 | status 503 retry-after=5 |"))
        #expect(page.contains("\nThe rule never matched nothing.\n"))
        #expect(
            junit.contains(
                "<failure message=\"not recovered: no later event shows a "
                    + "recovery\"/>"))
    }

    @Test func `tells what could not be done, and does not count it`() throws {
        let trace = try WrittenTrace()
        let writer = try trace.writer()
        _ = writer.put(trace.opening)
        _ = writer.put([
            .fault(
                FaultRow(
                    at: Instant(nanoseconds: 1), rule: "gap", action: "remove-header X", effect: [],
                    problem: "the head is the same with it", sender: .client))
        ])
        _ = writer.put(trace.exchange(1, WrittenTrace.well))
        writer.finish()
        let judgement = try FaultJudgement.judge(trace: trace.path)
        #expect(
            FaultsReportText.summary(judgement)
                == "0 faults: 0 recovered, 0 not recovered, 0 undecided; 1 more could not be done")
        let line = try #require(
            FaultsReportText.table(judgement).split(separator: "\n").first {
                $0.contains("remove-header X")
            })
        #expect(line.hasSuffix("not done  the head is the same with it"))
        let json = FaultsReportText.json(judgement)
        #expect(json.contains("\"not-done\":1"))
        #expect(json.contains("\"effect\":\"none\",\"problem\":\"the head is the same with it\""))
        #expect(
            FaultsReportText.junit(judgement).contains(
                "<skipped message=\"not done: the head is the same with it\"/>"))
        #expect(
            FaultText.lines(try TraceReader(path: trace.path).faults()) == [
                "  fault gap: remove-header X, occurrence 1; not done: the head is the same with it"
            ])
        // Nothing is not recovered.
        try FaultsReportCommand.parse([trace.path]).run()
    }

    @Test func `ends with 1 where a fault is not recovered`() throws {
        let trace = try WrittenTrace()
        let writer = try trace.writer()
        _ = writer.put(trace.opening)
        _ = writer.put(trace.exchange(1, WrittenTrace.bad, fault: "status 400"))
        _ = writer.put(trace.exchange(2, WrittenTrace.well, page: "heartbeat"))
        writer.finish()
        let junit = trace.path + ".xml"
        let command = try FaultsReportCommand.parse([trace.path, "--junit", junit, "--json"])
        let failure = #expect(throws: Failure.self) { try command.run() }
        #expect(failure?.status == .failed)
        #expect(try String(contentsOfFile: junit, encoding: .utf8).hasPrefix("<?xml"))
        let other = try FaultsReportCommand.parse([trace.path, "--session", "2"])
        #expect(#expect(throws: Failure.self) { try other.run() }?.status == .data)
    }

    @Test func `is undecided where the recording ended while the client waited`() throws {
        let trace = try WrittenTrace()
        let writer = try trace.writer()
        _ = writer.put(trace.opening)
        _ = writer.put(trace.exchange(1, WrittenTrace.busy, fault: "status 503 retry-after=5"))
        _ = writer.put(trace.exchange(2, WrittenTrace.well, fault: "answer body=ok"))
        writer.finish()
        let judgement = try FaultJudgement.judge(trace: trace.path)
        #expect(
            FaultsReportText.summary(judgement)
                == "2 faults: 1 recovered, 0 not recovered, 0 undecided, 1 not judged")
        let other = try WrittenTrace()
        let second = try other.writer()
        _ = second.put(other.opening)
        _ = second.put(other.exchange(1, WrittenTrace.busy, fault: "status 503 retry-after=5"))
        second.finish()
        let open = try FaultJudgement.judge(trace: other.path)
        #expect(!open.isRunning && open.count(.undecided) == 1)
        #expect(FaultsReportText.json(open).contains("\"undecided\":1,\"not-judged\":0"))
        #expect(
            FaultsReportText.junit(open).contains("<skipped message=\"undecided: the recording"))
        try FaultsReportCommand.parse([other.path]).run()
    }

    @Test func `has nothing to say about a trace without faults`() throws {
        let trace = try WrittenTrace()
        try trace.writer().finish()
        let judgement = try FaultJudgement.judge(trace: trace.path)
        #expect(
            FaultsReportText.table(judgement)
                == "0 faults: 0 recovered, 0 not recovered, 0 undecided\n")
    }

    @Test func `shows what a fault did`() throws {
        let trace = try WrittenTrace()
        let writer = try trace.writer()
        _ = writer.put(trace.opening)
        _ = writer.put(trace.exchange(1, WrittenTrace.busy, fault: "status 503"))
        writer.finish()
        let reader = try TraceReader(path: trace.path)
        let detail = try #require(try reader.exchange(ExchangeID(1)))
        let page = try ExchangePage(
            reader: reader, times: PageTimes(.relative, try reader.sessions())
        ).text(detail)
        #expect(page.contains("  fault over<load>: status 503, occurrence 1\n"))
        #expect(JSONDetail.exchange(detail).contains("\"faults\":[{\"id\":1,"))
        #expect(
            ListLine.exchange(
                detail.row, time: "0.000", ListStyle(columns: nil, hasColour: false),
                rules: ["over<load>"]
            ).contains("fault over<load>"))
    }
}
