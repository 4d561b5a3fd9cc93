import CSQLite
import Dissection
import Faults
import Filters
import Notation
import Storage
import Testing
import Wire

@testable import Trace

/// A filter gives the same answer as SQL over stored rows and as a predicate over live events.
struct FilterEquivalenceTests {
    private func rows(
        _ db: Connection, _ from: String, _ condition: SQLCondition,
        in page: ClosedRange<Int64>? = nil
    ) throws -> [Int64] {
        let id = from.split(separator: " ")[1] + ".id"
        let start = page == nil ? "" : "\(id) BETWEEN ?1 AND ?2 AND "
        let statement = try db.prepare(
            "SELECT \(id) FROM \(from) WHERE \(start)\(condition.text) ORDER BY \(id)")
        if let page {
            statement.bind(1, page.lowerBound)
            statement.bind(2, page.upperBound)
        }
        for (index, argument) in zip(Int32(page == nil ? 1 : 3)..., condition.arguments) {
            switch argument {
            case .integer(let number): statement.bind(index, number)
            case .text(let text): statement.bind(index, text)
            case .blob(let bytes): statement.bind(index, copying: bytes, asText: false)
            }
        }
        var found: [Int64] = []
        while try statement.step() { found.append(statement.integer(0)) }
        return found
    }

    private func world(_ seed: UInt64) throws -> (FilterWorld, Connection) {
        let db = try Connection(
            path: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try db.execute(
            [Schema.truth, Schema.derived, Schema.statements, Schema.views, Schema.search]
                .joined(separator: "\n"))
        try db.register(FilterFunctions())
        var world = FilterWorld(seed: seed)
        try world.write(to: db)
        return (world, db)
    }

    private func compare(_ text: String, _ world: FilterWorld, _ db: Connection) throws {
        let filter = try Filter.parse(text)
        #expect(
            try rows(db, "http_exchange x", filter.sql(for: .exchange))
                == world.exchanges.filter { filter.matches($0.subject) }.map(\.row.id.rawValue),
            "\(text)")
        #expect(
            try rows(db, "simperium_command c", filter.sql(for: .command))
                == world.commands.filter(filter.matches).map(\.row.id.rawValue), "\(text)")
        #expect(
            try rows(db, "message m", filter.sql(for: .message))
                == world.messages.filter(filter.matches).map(\.row.id.rawValue), "\(text)")
    }

    @Test(arguments: 0..<20)
    func `finds the same in pages, of heads and bodies above all`(seed: UInt64) throws {
        let (world, db) = try world(seed)
        var random = SplitMix64(seed: seed &+ 2000)
        let bodies = FilterTexts.fields.filter { $0.rawValue.hasSuffix("body") || $0.isFamily }
        for round in 0..<100 {
            let text =
                round % 4 == 0
                ? FilterTexts.filter(&random, depth: 2)
                : (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    FilterTexts.comparison(bodies.randomElement(using: &random) ?? .body, &random)
                }.joined(separator: Bool.random(using: &random) ? " or " : " ")
            let filter = try Filter.parse(round % 3 == 0 ? "not (\(text))" : text)
            let last = world.exchanges.map(\.row.id.rawValue).max() ?? 0
            var found: [Int64] = []
            var low: Int64 = 1
            while low <= last {
                let high = low + Int64.random(in: 0..<4, using: &random)
                found += try rows(
                    db, "http_exchange x", filter.sql(forPagesOf: .exchange), in: low...high)
                low = high + 1
            }
            #expect(
                found
                    == world.exchanges.filter { filter.matches($0.subject) }.map(\.row.id.rawValue),
                "\(text)")
        }
    }

    @Test(arguments: 0..<20) func `agrees on random filters`(seed: UInt64) throws {
        let (world, db) = try world(seed)
        var random = SplitMix64(seed: seed &+ 1000)
        for _ in 0..<100 { try compare(FilterTexts.filter(&random, depth: 3), world, db) }
    }

    @Test(arguments: FilterTexts.fields) func `agrees on every field`(field: Field) throws {
        let (world, db) = try world(7)
        var random = SplitMix64(seed: UInt64(FilterTexts.fields.firstIndex(of: field) ?? 0))
        var isFound = false
        for _ in 0..<40 {
            let text = FilterTexts.comparison(field, &random)
            try compare(text, world, db)
            try compare("not \(text)", world, db)
            let filter = try Filter.parse(text)
            isFound =
                isFound || world.exchanges.contains { filter.matches($0.subject) }
                || world.commands.contains(where: filter.matches)
                || world.messages.contains(where: filter.matches)
        }
        // Otherwise the test would say nothing.
        #expect(isFound)
    }

    @Test func `asks as much as a filter can hold`() throws {
        let (world, db) = try world(1)
        try compare("id:{" + (1...1000).map { "\($0 * 2)" }.joined(separator: ",") + "}", world, db)
        try compare(
            String(repeating: "not (", count: 50) + "id:3" + String(repeating: ")", count: 50),
            world, db)
        try compare((1...300).map { "\($0)" }.joined(separator: " or "), world, db)
        try compare((1...500).map { "error!=\($0)" }.joined(separator: " "), world, db)
    }
}
