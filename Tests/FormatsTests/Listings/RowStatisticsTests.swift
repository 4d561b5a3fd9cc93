import Dissection
import Testing
import Trace
import Wire

@testable import Formats

@Suite struct RowStatisticsTests {
    private func row(
        _ id: Int64, path: String = "/a", status: Int? = 200, milliseconds: Int64? = 10
    ) -> ListedRow {
        var row = ExchangeRow(
            id: ExchangeID(id), connection: ConnectionID(1), api: "http", method: "GET",
            scheme: "http", host: "h", port: 80, path: path, query: nil, version: "HTTP/1.1",
            startedAt: Instant(nanoseconds: 5), requestPlace: Place(chunk: ChunkID(1), offset: 0))
        row.status = status
        row.endedAt = milliseconds.map { Instant(nanoseconds: 5 + $0 * 1_000_000) }
        row.outcome = milliseconds == nil ? .open : status == nil ? .noResponse : .complete
        row.responseSize = 100
        return ListedRow(
            .exchange(SessionID(1), row), since: 1_795_219_200_000_000_000, rules: [])
    }

    @Test(
        arguments: [
            (50, [7], 7), (50, [1, 2], 1), (90, Array(1...10), 9), (99, Array(1...10), 10),
            (99, Array(1...200), 198), (100, [1, 5], 5), (50, [], nil),
        ] as [(Int, [Int64], Int64?)])
    func `takes percentiles by the nearest rank`(percent: Int, sorted: [Int64], value: Int64?) {
        #expect(RowStatistics.percentile(percent, of: sorted) == value)
    }

    @Test func `counts rows, errors, durations and bytes of each group`() {
        var statistics = RowStatistics(by: [.path])
        statistics.add(row(1, path: "/b"))
        for id in 2...4 { statistics.add(row(Int64(id), status: id == 2 ? 503 : 200)) }
        statistics.add(row(5, path: "/b", status: nil, milliseconds: nil))
        statistics.add(row(6, path: "/c", status: nil))
        let lines = statistics.lines
        #expect(lines.map { $0[0] } == [.text("/a"), .text("/b"), .text("/c")])
        #expect(lines.map { $0[1] } == [.number(3), .number(2), .number(1)])
        #expect(lines.map { $0[2] } == [.number(1), .number(0), .number(1)])
        #expect(lines[1][3] == .nanoseconds(10_000_000))
        #expect(lines[0][7] == .bytes(300))
    }

    @Test func `writes tables for programs, sorted and with the wall clock`() {
        let columns: [ListColumn] = [.id, .time, .status, .duration, .bucket]
        var table = ListTable(columns)
        for each in [row(1), row(2, status: 404), row(3, status: nil, milliseconds: nil)] {
            table.add(columns.map { $0.value(of: each) })
        }
        table.sort(by: 2, isDescending: true)
        table.limit(to: 2)
        #expect(
            table.exported(asJSON: false) == [
                "id,time,status,duration_ns,bucket",
                "2,2026-11-21T00:00:00.000000Z,404,10000000,",
                "1,2026-11-21T00:00:00.000000Z,200,10000000,",
            ])
        #expect(
            table.exported(asJSON: true).first
                == #"{"id":2,"time":"2026-11-21T00:00:00.000000Z","status":404,"duration_ns":10000000,"bucket":null}"#
        )
        table.sort(by: 0, isDescending: false)
        #expect(table.lines.map { $0[0] } == [.number(1), .number(2)])
    }

    @Test func `has a value of every column for some row`() {
        let text = "text"
        let message = MessageRow(
            id: MessageID(7), connection: ConnectionID(1), exchange: ExchangeID(1),
            sender: .client, at: .zero, endedAt: .zero, opcode: 8, payload: [], isText: false,
            size: 6, wireSize: 6, isCompressed: false, frames: 1, closeCode: 1000, problem: text,
            place: Place(chunk: ChunkID(1), offset: 0))
        var command = Tables.command.blank
        (command.bucket, command.key, command.cv, command.app) = (text, text, text, text)
        (command.channel, command.error) = (0, 440)
        var exchange = Tables.exchange.blank
        (exchange.query, exchange.status, exchange.reason, exchange.device) = (
            text, 200, text, text
        )
        (exchange.user, exchange.retryAfter, exchange.endedAt) = (text, "1", .zero)
        let rows = [
            ListedRow(
                .exchange(SessionID(1), exchange), since: 0, rules: ["busy"], recorder: "r"),
            ListedRow(.command(SessionID(1), command), since: 0, rules: []),
            ListedRow(.message(SessionID(1), message), since: 0, rules: []),
        ]
        for column in ListColumn.allCases {
            #expect(rows.contains { column.value(of: $0) != .none }, "\(column)")
        }
    }
}
