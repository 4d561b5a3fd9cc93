import Dissection
import Filters
import Testing
import Wire

@testable import Trace

@Suite struct LinePagesTests {
    private func exchanges(_ trace: TemporaryTrace, _ filter: Filter?) throws -> [ExchangeRow] {
        var rows: [ExchangeRow] = []
        try trace.reader().lines(filter) { line in
            if case .exchange(_, let row) = line { rows.append(row) }
            return true
        }
        return rows
    }

    private func ahead(
        _ trace: TemporaryTrace, _ filter: Filter?, _ detail: LineDetail = .whole, limit: Int? = nil
    ) throws -> [ExchangeRow] {
        var rows: [ExchangeRow] = []
        let lines = LineBatches(path: trace.path, filter, of: .client, detail, limit: limit)
        try lines.forEachLine { line in
            if case .exchange(_, let row) = line { rows.append(row) }
            return true
        }
        return rows
    }

    @Test func `lines are in order of time beyond the ends of pages`() throws {
        let rows = try exchanges(.disordered(30_000), nil)
        #expect(rows.count == 30_000)
        let places = rows.map { ($0.startedAt.nanoseconds, $0.id.rawValue) }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: ["", "path:/3", "path:/3 or path:/5", "status:404", "not header.x:1"])
    func `what threads read ahead is what one reads alone`(text: String) throws {
        let trace = try TemporaryTrace.disordered(40_000, without: 12_000...25_000)
        let filter = text.isEmpty ? nil : try Filter.parse(text)
        let alone = try exchanges(trace, filter)
        #expect(try ahead(trace, filter) == alone)
        #expect(try ahead(trace, filter, limit: 5) == Array(alone.prefix(5)))
        #expect(try ahead(trace, filter, .shown).map(\.id) == alone.map(\.id))
    }

    @Test func `one that stops in the middle leaves the threads to end`() throws {
        let trace = try TemporaryTrace.disordered(40_000)
        for limit in [0, 1, 9_000, 39_999] {
            #expect(try ahead(trace, nil, limit: limit).count == limit)
        }
    }

    @Test func `lines that nobody takes are left`() throws {
        let trace = try TemporaryTrace.disordered(2_000)
        for _ in 0..<20 { _ = LineBatches(path: trace.path, nil) }
        _ = LineBatches(path: trace.path + ".none", nil)
    }

    @Test func `pages become as large as their lines are quickly read`() {
        var size = PageSize(for: .exchange, .whole)
        // The first lines come soon.
        #expect(size.numbers == 320)
        size.learn(lines: 320, took: .milliseconds(1))
        #expect(size.numbers == 1_280)
        size.learn(lines: 0, took: .milliseconds(1))
        #expect(size.numbers == 5_120)
        size.learn(lines: 5_120, took: .milliseconds(10))
        #expect(size.numbers == 2_560)
        size.learn(lines: 2_560, took: .milliseconds(10))
        #expect(size.numbers == 2_560)
        // Looking for them takes longer than reading them: fewer, larger pages.
        size.learn(lines: 4_000, took: .milliseconds(100))
        #expect(size.numbers == 10_240)
        size.learn(lines: 10_240, took: .milliseconds(40))
        #expect(size.numbers == 5_120)
        size.learn(lines: 10, took: .milliseconds(300))
        #expect(size.numbers == 1_280)
        var messages = PageSize(for: .message, .whole)
        messages.learn(lines: 0, took: .milliseconds(1))
        #expect(messages.numbers == 256)
    }
}
