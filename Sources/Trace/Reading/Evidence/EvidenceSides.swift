internal import Dissection
internal import Storage
internal import Wire

/// Reads the sides of exchanges, and remembers requests until they are answered.
struct EvidenceSides {
    private var bodies: Statement?
    private var parts: Statement?
    private var documents: Statement?
    private var hasParts = false
    private var hasDocuments = false
    private var requests: [Int64: EvidenceSideRow] = [:]

    /// The maximum number of remembered requests, and the largest content of one.
    private static let most = 512
    private static let largest = 65_536

    init() {}

    /// Checks which tables have rows, so that nothing is looked up in vain.
    mutating func begin(_ db: Connection) throws(StorageFault) {
        if !hasParts { hasParts = try db.integer("SELECT EXISTS (SELECT 1 FROM part)") == 1 }
        if !hasDocuments {
            hasDocuments = try db.integer("SELECT EXISTS (SELECT 1 FROM openrosa)") == 1
        }
    }

    /// One side of an exchange; nil where it is not kept.
    ///
    /// `isLast` means that it is not requested again.
    mutating func side(
        _ exchange: Int64, _ sender: Peer, _ db: Connection, isLast: Bool
    ) throws(StorageFault) -> EvidenceSideRow? {
        if sender == .client, isLast, let known = requests.removeValue(forKey: exchange) {
            return known
        }
        let id = 2 * exchange + Int64(sender.rawValue)
        let statement = try Self.kept(&bodies, "SELECT * FROM body WHERE id = ?", db)
        statement.bind(1, id)
        guard try statement.step() else { return nil }
        var side = EvidenceSideRow(body: statement.body(), parts: [], documents: [])
        statement.reset()
        if side.body.size > 0 {
            if hasParts {
                side.parts = try Self.list(&parts, "part", id, db) { Tables.part.row($0) }
            }
            if hasDocuments {
                side.documents = try Self.list(&documents, "openrosa", id, db) {
                    Tables.document.row($0)
                }
            }
        }
        if !isLast, requests.count < Self.most, side.body.content.count <= Self.largest {
            requests[exchange] = side
        }
        return side
    }

    private static func list<Row>(
        _ place: inout Statement?, _ table: String, _ id: Int64, _ db: Connection,
        _ make: (Statement) -> Row
    ) throws(StorageFault) -> [Row] {
        let statement = try kept(
            &place,
            "SELECT * FROM \(table) WHERE id >= \(Tables.share) * ?1 "
                + "AND id < \(Tables.share) * (?1 + 1) ORDER BY id", db)
        statement.bind(1, id)
        var rows: [Row] = []
        while try statement.step() { rows.append(make(statement)) }
        return rows
    }

    private static func kept(
        _ place: inout Statement?, _ sql: String, _ db: Connection
    ) throws(StorageFault) -> Statement {
        if let place { return place }
        let made = try db.prepare(sql)
        place = made
        return made
    }
}
