/// A numbered change of the fleet's schema.
struct Migration: Sendable {
    /// Its number, from 1.
    let number: Int
    /// What it does.
    let name: String
    /// The statements of a server, in order; each may run again without harm.
    let statements: @Sendable (SchemaSQL) -> [String]

    /// All of them, in order.
    static let all = [
        Migration(number: 1, name: "create the tables of a fleet") { sql in
            FleetTables.all.flatMap { sql.creation(of: $0) }
        }
    ]

    /// The number of the last one.
    static var latest: Int { all.last?.number ?? 0 }
}
