import Dissection
import Formats
import Foundation
import Testing
import Wire

@testable import Trace
@testable import tapedeck

@Suite struct ListLineTests {
    private func exchange(_ path: String = "/a/demo/phone/restore/") -> ExchangeRow {
        var row = ExchangeRow(
            id: ExchangeID(12), connection: ConnectionID(1), api: "commcare.restore", method: "GET",
            scheme: "http", host: "demo.example", port: 80, path: path, query: "version=2.0",
            version: "HTTP/1.1", startedAt: Instant(nanoseconds: 0),
            requestPlace: Place(chunk: ChunkID(1), offset: 0))
        row.status = 503
        row.endedAt = Instant(nanoseconds: 34_000_000)
        row.responseSize = 1_234
        row.retryAfter = "30"
        return row
    }

    private func line(_ columns: Int?, hasColour: Bool = false, path: String? = nil) -> String {
        let style = ListStyle(columns: columns, hasColour: hasColour)
        return ListLine.exchange(
            path.map { exchange($0) } ?? exchange(), time: "3.201", style, rules: ["busy"])
    }

    @Test func `has everything without a limit`() {
        #expect(
            line(nil)
                == "#12        3.201  GET    503 commcare.restore      0 B → 1.2 KB  34 ms  "
                + "http://demo.example/a/demo/phone/restore/?version=2.0  fault busy  Retry-After 30"
        )
    }

    @Test(arguments: [40, 60, 80, 100, 120, 160])
    func `fits the columns and keeps what is said about a row`(columns: Int) {
        for path in ["/a/demo/phone/restore/", "/長い/" + String(repeating: "路", count: 90)] {
            let line = line(columns, path: path)
            #expect(TextWidth.of(line) <= columns, "\(line)")
            if columns >= 80 { #expect(line.contains("  fault busy  Retry")) }
        }
    }

    @Test func `shows no more of an exchange than listings read`() {
        var full = exchange()
        full.isLocal = true
        full.problem = "cut"
        full.requestSize = 7
        full.side = .server
        full.fate = .altered
        full.port = 8_080
        let names = Set(LineQuery.shownExchange.sql().split(separator: ", ").map(String.init))
        let blank = Tables.exchange.blank
        let shown = Tables.exchange.row(
            Tables.exchange.columns.map {
                $0.stored(names.contains($0.definition.name) ? full : blank, RowContext())
            })
        #expect(shown.version != full.version)
        for columns in [nil, 160, 100, 50] as [Int?] {
            let style = ListStyle(columns: columns, hasColour: false)
            #expect(
                ListLine.exchange(shown, time: "1.000", style)
                    == ListLine.exchange(full, time: "1.000", style))
        }
    }

    @Test(arguments: [
        ("http", "a.example", 80, "GET"), ("https", "a.example", 80, "GET"),
        ("https", "a.example", 443, "POST"), ("http", "::1", 8_080, "GET"),
        ("https", "a.example", 443, "CONNECT"), ("http", "a\u{1B}b", 80, "GET"),
    ])
    func `has the URL of an exchange`(scheme: String, host: String, port: Int, method: String) {
        var row = exchange()
        (row.scheme, row.host, row.port, row.method) = (scheme, host, port, method)
        var line = LineText()
        line.addURL(of: row)
        #expect(line.text == ListLine.clean(row.url))
        #expect(line.columns == TextWidth.of(line.text))
    }

    @Test func `lines up whatever the values are`() {
        let urls = [exchange(), exchange("/x")].map {
            ListLine.exchange($0, time: "3.201", ListStyle(columns: 140, hasColour: false))
        }.compactMap { $0.range(of: "http://")?.lowerBound.utf16Offset(in: $0) }
        #expect(urls.count == 2 && Set(urls).count == 1)
    }

    @Test func `colours the status and the fault`() {
        let line = line(100, hasColour: true)
        #expect(line.contains("\u{1B}[31m503\u{1B}[0m"))
        #expect(line.hasSuffix("\u{1B}[31mfault busy\u{1B}[0m  Retry-After 30"))
    }

    @Test func `shows a message of a socket`() {
        let message = MessageRow(
            id: MessageID(7), connection: ConnectionID(1), exchange: ExchangeID(12),
            sender: .client, at: .zero, endedAt: .zero, opcode: 1, payload: Array("hello\n".utf8),
            isText: true, size: 6, wireSize: 6, isCompressed: false, frames: 1, closeCode: nil,
            problem: nil, place: Place(chunk: ChunkID(1), offset: 0))
        let style = ListStyle(columns: 50, hasColour: false)
        #expect(
            ListLine.message(message, time: "1.000", style)
                == "m7         1.000  → text      6 B  hello⏎")
    }

    @Test func `writes times and marks where a session begins`() {
        func session(_ id: Int64, _ start: Int64) -> SessionDetail {
            SessionDetail(
                id: SessionID(id), startedUnixNanoseconds: start, provenance: "proxy", version: "",
                arguments: "", seed: nil, endedAt: nil, ended: nil)
        }
        var column = TimeColumn(.delta)
        column.learn([session(1, 0), session(2, 5_000_000_000)])
        let at = Instant(nanoseconds: 2_500_000_000)
        let first = column.mark(before: at, in: SessionID(1))
        #expect(first?.hasPrefix("── session 1, started 19") == true)
        #expect(column.next(at, in: SessionID(1)) == "+2.500")
        #expect(column.mark(before: at, in: SessionID(1)) == nil)
        #expect(column.next(Instant(nanoseconds: 2_400_000_000), in: SessionID(1)) == "-0.100")
        #expect(column.mark(before: at, in: SessionID(2))?.contains("session 2") == true)
        #expect(column.next(at, in: SessionID(2)) == "+2.500")
        var single = TimeColumn(.relative)
        single.learn([session(1, 0)])
        #expect(single.mark(before: at, in: SessionID(1)) == nil)
        #expect(single.next(at, in: SessionID(1)) == "2.500")
    }
}
