internal import Storage
internal import Trace
internal import Wire

/// Goes through everything that was sent over a connection and delivered, on both sides of it.
final class ConnectionWalk {
    private let db: Connection
    private let schema: String
    private let id: ConnectionID
    private let walk: SecretWalk
    private let edits: StreamEdits?
    /// What each peer had; the client's alone where both had the same.
    let sides: [SideBytes]
    /// Whether WebSocket messages went over it.
    private(set) var isSocket = false

    /// A walk through connection `id` of the database `schema`, of which ``RowsByConnection`` were
    /// made; nothing is written where `edits` is nil.
    init(
        _ db: Connection, _ id: ConnectionID, of schema: String, by walk: SecretWalk,
        edits: StreamEdits? = nil
    ) throws {
        self.db = db
        self.schema = schema
        self.id = id
        self.walk = walk
        self.edits = edits
        let chunks = try RowsByConnection.numbers("chunk", id.rawValue, db)
        let client = try SideBytes(db, of: schema, chunks: chunks, hadBy: .client)
        sides =
            client.differs
            ? [client, try SideBytes(db, of: schema, chunks: chunks, hadBy: .server)] : [client]
    }

    /// Goes through all of it.
    func run() throws {
        defer { walk.peers = [.client, .server] }
        for side in sides {
            walk.peers = sides.count == 1 ? [.client, .server] : [side.peer]
            let one = SideWalk(db, id, of: schema, side, by: walk, edits: edits)
            try one.run()
            if one.isSocket { isSocket = true }
        }
    }
}
