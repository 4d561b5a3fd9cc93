import Dissection
import Filters
import Testing
import Wire

@testable import Trace

@Suite struct FindingTests {
    private func row(
        _ rule: String, _ severity: FindingRow.Severity, at place: Place?
    ) -> FindingRow {
        FindingRow(
            at: Instant(nanoseconds: 5), rule: rule, severity: severity, chunk: place?.chunk,
            offset: place?.offset ?? 0, detail: "it was \(rule)", expected: "something else")
    }

    private func undecided(_ rule: String, _ place: Place?) -> UndecidedRow {
        UndecidedRow(
            at: Instant(nanoseconds: 5), rule: rule, waitedNanoseconds: 7, chunk: place?.chunk,
            offset: place?.offset ?? 0, detail: "do \(rule)", expected: "something")
    }

    /// Two exchanges and a socket with two changes.
    private func recorded() throws -> TemporaryTrace {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 2))
        let socket = traffic.open()
        _ = writer.put(socket.records + traffic.upgrade(socket))
        _ = writer.put([traffic.change(socket, 1), traffic.change(socket, 2)])
        writer.finish()
        return trace
    }

    /// One about an exchange, one about a command, one about nothing.
    private func store(_ trace: TemporaryTrace) throws {
        let places = FindingPlaces(try ReplayReader(path: trace.path))
        try FindingStore.store(
            [
                DiagnosedSession(
                    SessionID(1),
                    findings: [
                        row("http.bad", .error, at: try places.place(of: ExchangeID(2))),
                        row(
                            "simperium.change.bad", .warning, at: try places.place(of: MessageID(1))
                        ),
                        row("simperium.session.bad", .info, at: nil),
                    ],
                    undecided: [
                        undecided("simperium.change.open", try places.place(of: MessageID(2))),
                        undecided("commcare.open", try places.place(of: ExchangeID(1))),
                        undecided("http.open", nil),
                    ])
            ], in: trace.path)
    }

    private func found(_ filter: String, _ trace: TemporaryTrace) throws -> [String] {
        var names: [String] = []
        try trace.reader().lines(Filter.parse(filter)) { line in
            switch line {
            case .exchange(_, let row): names.append("\(row.id)")
            case .command(_, let row): names.append("c\(row.id)")
            case .message(_, let row): names.append("m\(row.id)")
            }
            return true
        }
        return names
    }

    @Test(arguments: [
        ("finding:error", ["2"]), ("finding:warning", ["c1"]), ("finding:info", []),
        ("finding:http.bad", ["2"]), ("finding:simperium.*", ["c1"]), ("has:finding", ["2", "c1"]),
        ("not has:finding", ["1", "3", "c2"]), ("finding:*bad key:key2", []),
        ("undecided:*", ["1", "c2"]), ("undecided:simperium.change.open", ["c2"]),
        ("undecided:commcare.*", ["1"]), ("undecided:http.bad", []), ("finding:*open", []),
        ("has:undecided key:key1", []), ("not has:undecided", ["2", "3", "c1"]),
    ])
    func `finds what shows a finding`(filter: String, expected: [String]) throws {
        let trace = try recorded()
        #expect(try found(filter, trace).isEmpty == (!filter.hasPrefix("not")))
        try store(trace)
        #expect(try found(filter, trace) == expected)
    }

    @Test func `tells rows of what they show`() throws {
        let trace = try recorded()
        try store(trace)
        let reader = try trace.reader()
        #expect(try reader.exchange(ExchangeID(1))?.findings.isEmpty == true)
        #expect(try reader.exchange(ExchangeID(2))?.findings.map(\.row.rule) == ["http.bad"])
        let rule = ["simperium.change.bad"]
        #expect(try reader.command(CommandID(1))?.findings.map(\.row.rule) == rule)
        #expect(try reader.message(MessageID(1))?.findings.map(\.row.rule) == rule)
        #expect(try reader.command(CommandID(2))?.findings.isEmpty == true)
        #expect(
            try trace.rows("SELECT rule, exchange_id, command_id FROM finding ORDER BY id") == [
                "http.bad|2|null", "simperium.change.bad|null|1", "simperium.session.bad|null|null",
            ])
    }

    @Test func `tells rows of what could not be decided after them`() throws {
        let trace = try recorded()
        try store(trace)
        let reader = try trace.reader()
        #expect(try reader.exchange(ExchangeID(1))?.undecided.map(\.row.rule) == ["commcare.open"])
        #expect(try reader.exchange(ExchangeID(2))?.undecided.isEmpty == true)
        let rule = ["simperium.change.open"]
        #expect(try reader.command(CommandID(2))?.undecided.map(\.row.rule) == rule)
        #expect(try reader.message(MessageID(2))?.undecided.map(\.row.rule) == rule)
        #expect(
            try trace.rows(
                "SELECT rule, since_ns, waited_ns, exchange_id, command_id FROM undecided ORDER BY id"
            )
                == [
                    "simperium.change.open|5|7|null|2", "commcare.open|5|7|1|null",
                    "http.open|5|7|null|null",
                ])
        #expect(try reader.undecided(session: SessionID(1)).map(\.id) == [1, 2, 3])
        try store(trace)
        #expect(try trace.reader().undecided().map(\.id) == [4, 5, 6])
    }

    @Test func `marks rows with the place of what they show among all of the session`() throws {
        let trace = try recorded()
        #expect(try trace.reader().diagnosedRows().marks(of: ExchangeID(2)) == [])
        try store(trace)
        let rows = try trace.reader().diagnosedRows()
        func text(_ marks: [DiagnosedRows.Mark]) -> [String] {
            marks.map { "\($0.isUndecided ? "u" : "f")\($0.session).\($0.place) \($0.rule)" }
        }
        #expect(text(rows.marks(of: ExchangeID(2))) == ["f1.1 http.bad"])
        #expect(text(rows.marks(of: CommandID(1))) == ["f1.2 simperium.change.bad"])
        #expect(text(rows.marks(of: ExchangeID(1))) == ["u1.2 commcare.open"])
        #expect(text(rows.marks(of: CommandID(2))) == ["u1.1 simperium.change.open"])
    }

    @Test func `keeps what could not be decided through a rebuild`() throws {
        let trace = try recorded()
        try store(trace)
        try Rebuild.run(path: trace.path)
        #expect(try found("has:undecided", trace) == ["1", "c2"])
    }

    @Test func `replaces the findings of a session and gives no number twice`() throws {
        let trace = try recorded()
        let writer = try trace.writer()
        _ = writer.put([.finding(row("live.one", .error, at: nil))])
        writer.finish()
        try store(trace)
        #expect(try trace.reader().findings(session: SessionID(2)).map(\.id) == [1])
        #expect(try trace.reader().findings(session: SessionID(1)).map(\.id) == [2, 3, 4])
        try FindingStore.store([DiagnosedSession(SessionID(2), findings: [])], in: trace.path)
        try store(trace)
        #expect(try trace.reader().findings().map(\.id) == [5, 6, 7])
        let later = try trace.writer()
        _ = later.put([.finding(row("live.two", .error, at: nil))])
        later.finish()
        #expect(try trace.reader().findings().map(\.id) == [5, 6, 7, 8])
        #expect(try trace.integrity == "ok")
    }

    @Test func `stores nothing in a trace that somebody writes`() throws {
        let trace = try recorded()
        let writer = try trace.writer()
        #expect(FindingStore.isWritten(trace.path))
        do throws(TraceError) {
            try FindingStore.store(
                [DiagnosedSession(SessionID(1), findings: [row("a.b", .error, at: nil)])],
                in: trace.path)
            Issue.record("stored")
        } catch {
            #expect(error.code == .busy)
        }
        writer.finish()
        #expect(try trace.reader().findings().isEmpty)
    }

    @Test func `keeps findings through a rebuild`() throws {
        let trace = try recorded()
        try store(trace)
        try Rebuild.run(path: trace.path)
        #expect(try found("has:finding", trace) == ["2", "c1"])
    }
}
