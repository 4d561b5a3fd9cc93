internal import Storage

/// The numbers that the next rows of each table get.
///
/// Each is 1 more than the highest number of its table, or what the table `counter` has where that is
/// more: rows are evicted, and a number is never used twice.
struct Counters: Hashable {
    var session: Int64 = 1
    var connection: Int64 = 1
    var leg: Int64 = 1
    var chunk: Int64 = 1
    var event: Int64 = 1
    var gap: Int64 = 1
    var mark: Int64 = 1
    var fault: Int64 = 1
    var finding: Int64 = 1
    var undecided: Int64 = 1
    var packet: Int64 = 1
    var secret: Int64 = 1
    var exchange: Int64 = 1
    var message: Int64 = 1
    var command: Int64 = 1
    var note: Int64 = 1

    /// Name in the table and place in this value.
    static let all: [(name: String, next: any WritableKeyPath<Counters, Int64> & Sendable)] = [
        ("session", \.session), ("connection", \.connection), ("leg", \.leg), ("chunk", \.chunk),
        ("event", \.event), ("gap", \.gap), ("mark", \.mark),
        ("fault", \.fault), ("finding", \.finding), ("undecided", \.undecided),
        ("packet", \.packet), ("secret", \.secret), ("exchange", \.exchange),
        ("message", \.message), ("command", \.command), ("note", \.note),
    ]

    /// Returns the next number of one table.
    static func take(_ next: inout Int64) -> Int64 {
        defer { next += 1 }
        return next
    }

    init() {}

    /// Those of the trace at `connection`.
    init(from connection: Connection) throws(StorageFault) {
        let highest = Schema.tables.compactMap { table in
            table.counter.map { "SELECT '\($0)', max(id) + 1 FROM \(table.name)" }
        }
        let statement = try connection.prepare(
            """
            SELECT name, max(next) FROM (
              SELECT name, next FROM counter
              UNION ALL \(highest.joined(separator: " UNION ALL ")))
            GROUP BY name HAVING max(next) IS NOT NULL
            """)
        while try statement.step() {
            let name = statement.string(0)
            if let next = Self.all.first(where: { $0.name == name })?.next {
                self[keyPath: next] = statement.integer(1)
            }
        }
    }
}
