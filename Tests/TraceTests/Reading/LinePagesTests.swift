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
        try LineBatches(path: trace.path, filter, of: .client, detail).forEach(limit: limit) {
            line in
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

    @Test func `pages become as large as their lines are quickly read`() {
        var size = PageSize(for: .exchange, .whole)
        #expect(size.numbers == 1_000)
        size.learn(lines: 0, took: .milliseconds(1))
        #expect(size.numbers == 4_000)
        size.learn(lines: 4_000, took: .milliseconds(10))
        #expect(size.numbers == 4_000)
        // Looking for them takes longer than reading them: fewer, larger pages.
        size.learn(lines: 4_000, took: .milliseconds(100))
        #expect(size.numbers == 16_000)
        size.learn(lines: 16_000, took: .milliseconds(40))
        #expect(size.numbers == 8_000)
        size.learn(lines: 10, took: .milliseconds(300))
        #expect(size.numbers == 2_000)
        var messages = PageSize(for: .message, .whole)
        messages.learn(lines: 0, took: .milliseconds(1))
        #expect(messages.numbers == 256)
    }
}
