import CSQLite
import Storage
import Testing

@Suite struct StatementCacheTests {
    private let connection: Connection

    init() throws { connection = try Connection(path: ":memory:", flags: SQLITE_OPEN_READWRITE) }

    @Test func `a statement comes back without arguments and rows`() throws {
        var cache = StatementCache()
        let sql = "SELECT ?1, value FROM json_each('[1, 2]')"
        let first = try cache.take(sql, of: connection)
        first.bind(1, "kept")
        #expect(try first.step())
        cache.give(back: first, sql)
        let second = try cache.take(sql, of: connection)
        #expect(second === first)
        #expect(try second.step())
        #expect(second.isNull(0) && second.integer(1) == 1)
    }

    @Test func `what is in use is not given out again`() throws {
        var cache = StatementCache()
        let sql = "SELECT value FROM json_each('[1, 2]')"
        let outer = try cache.take(sql, of: connection)
        #expect(try outer.step())
        let inner = try cache.take(sql, of: connection)
        #expect(inner !== outer)
        #expect(try inner.step() && inner.integer(0) == 1)
        cache.give(back: inner, sql)
        #expect(try outer.step() && outer.integer(0) == 2)
    }

    @Test func `texts without end do not keep statements without end`() throws {
        var cache = StatementCache()
        func count() throws -> Int64 {
            try connection.integer("SELECT count(*) FROM sqlite_stmt")
        }
        for number in 0..<1_000 {
            let sql = "SELECT \(number)"
            let statement = try cache.take(sql, of: connection)
            #expect(try statement.step() && statement.integer(0) == number)
            cache.give(back: statement, sql)
        }
        #expect(try count() <= 65)
    }
}
