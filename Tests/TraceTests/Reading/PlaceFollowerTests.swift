import Filters
import Testing
import Wire

@testable import Trace

/// Which rows a listing has, and which follow.
@Suite struct PlaceFollowerTests {
    private func follower(
        _ reader: TraceReader, _ filter: String? = nil
    ) throws -> (follower: PlaceFollower, places: [LinePlace]) {
        let filter = try filter.map { try Filter.parse($0) }
        var follower = try PlaceFollower(reader, filter: filter, of: .client)
        var places: [LinePlace] = []
        try follower.existing(reader) { place in
            places.append(place)
            return true
        }
        return (follower, places)
    }

    @Test func `passes on what begins, and says what has ended`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 2))
        writer.flush()
        let reader = try trace.reader()
        var (all, places) = try follower(reader)
        var (answered, found) = try follower(reader, "status:200")
        #expect(places == [LinePlace(.exchange, 1), LinePlace(.exchange, 2)])
        #expect(found == places)
        func poll(_ follower: inout PlaceFollower) throws -> PlaceFollower.News {
            try follower.poll(reader)
        }
        #expect(try poll(&all).isEmpty)
        let opened = traffic.open()
        let records = traffic.exchange(opened, number: 9, body: "x")
        _ = writer.put(opened.records + records.prefix(1))
        writer.flush()
        var news = try poll(&all)
        #expect(news.added == [LinePlace(.exchange, 3)] && news.changed == [])
        #expect(try poll(&answered).isEmpty)
        _ = writer.put(traffic.http(exchanges: 1))
        writer.flush()
        news = try poll(&all)
        #expect(news.added == [LinePlace(.exchange, 4)] && news.changed == [])
        #expect(try poll(&answered).added == [LinePlace(.exchange, 4)])
        _ = writer.put(Array(records.dropFirst()))
        writer.flush()
        news = try poll(&all)
        #expect(news.added == [] && news.changed == [LinePlace(.exchange, 3)])
        // It fits the filter now, and stands behind what fitted before.
        news = try poll(&answered)
        #expect(news.added == [LinePlace(.exchange, 3)] && news.changed == [])
        #expect(try poll(&all).isEmpty)
        writer.finish()
        (_, places) = try follower(reader)
        var lines: [TraceLine] = []
        try reader.lines { line in
            lines.append(line)
            return true
        }
        #expect(places == lines.map(\.place))
        #expect(try reader.lines(at: places) == lines)
        #expect(try reader.lines(at: [LinePlace(.exchange, 99)]) == [])
    }

    @Test func `follows what ran when it began, after sessions that ended or were killed`() throws {
        let trace = try TemporaryTrace()
        var traffic = Traffic()
        for _ in 0..<3 {
            let writer = try trace.writer()
            _ = writer.put(traffic.http(exchanges: 2))
            writer.finish()
        }
        #expect(try trace.reader().openExchanges(upTo: 6) == [])
        _ = try trace.rows(
            "UPDATE any_exchange SET outcome = 'open', ended_ns = NULL WHERE id IN (2, 5)")
        let writer = try trace.writer()
        writer.flush()
        #expect(try trace.reader().openExchanges(upTo: 6) == [])
        let (first, second) = (traffic.open(), traffic.open())
        let records = traffic.exchange(first, number: 1, body: "x")
        _ = writer.put(first.records + records.prefix(1))
        _ = writer.put(second.records + traffic.exchange(second, number: 2, body: "y"))
        writer.flush()
        let reader = try trace.reader()
        #expect(try reader.openExchanges(upTo: 8) == [7])
        var (follower, _) = try follower(reader)
        _ = writer.put(Array(records.dropFirst()))
        writer.flush()
        #expect(try follower.poll(reader).changed == [LinePlace(.exchange, 7)])
        writer.finish()
    }

    @Test func `counts values, and reads rows as they are stored`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 3))
        writer.finish()
        let reader = try trace.reader()
        let statuses = try reader.values(of: .status, limit: 10)
        #expect(statuses.values == [CountedValue(value: "200", count: 3)] && statuses.isComplete)
        let none = try Filter.parse("status:404")
        #expect(try reader.values(of: .status, none, limit: 10).values == [])
        #expect(try reader.values(of: .body, limit: 10).values == [])
        let stored = try reader.storedRows(of: LinePlace(.exchange, 2))
        let first = try #require(stored.first)
        #expect(first.columns.first == "id" && first.rows.map(\.first) == [.integer(2)])
        #expect(try reader.storedRows(of: LinePlace(.command, 2)) == [])
        var seen: [LinePlace] = []
        let end = try reader.timeline(after: .init()) { event in
            seen.append(event.place)
            return true
        }
        #expect(seen == (1...3).map { LinePlace(.exchange, $0) } && end.exchange == 3)
        #expect(try reader.timeline(after: end) { _ in true } == end)
    }
}
