internal import Notation
internal import Simperium
internal import Storage
internal import Wire

/// The row of one object in a client's state.
enum SavedObjectRow {
    static let table = """
        CREATE TABLE object (
            bucket TEXT NOT NULL, key TEXT NOT NULL,
            version INTEGER, -- what the server has
            ghost TEXT,
            local TEXT, -- what the user has; = for what the server has
            sent TEXT, -- the change that was sent and not answered, as sent
            target TEXT, -- what the object becomes by it
            sequence INTEGER, -- its place among all changes
            answer TEXT, -- accepted, duplicate, bad_version
            held INTEGER, -- 0 until edited, else until smaller than so many bytes
            needs_full INTEGER NOT NULL,
            wanted INTEGER, tombstone INTEGER,
            waiting INTEGER NOT NULL, -- order of what is to be sent
            PRIMARY KEY (bucket, key)) STRICT, WITHOUT ROWID;
        """

    /// Marks an object that was not edited; it is not JSON.
    private static let same = "="

    private static let columns = """
        key, version, ghost, local, sent, target, sequence, answer, held, needs_full, wanted,
        tombstone
        """

    static let select = "SELECT \(columns) FROM object WHERE bucket = ? ORDER BY waiting"

    /// An object that waits keeps its place, unless the user changes what is to be sent.
    static let insert = """
        INSERT INTO object (\(columns), bucket, waiting)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (bucket, key) DO UPDATE SET version = excluded.version,
            ghost = excluded.ghost, local = excluded.local, sent = excluded.sent,
            target = excluded.target, sequence = excluded.sequence, answer = excluded.answer,
            held = excluded.held, needs_full = excluded.needs_full, wanted = excluded.wanted,
            tombstone = excluded.tombstone, waiting = CASE
                WHEN local IS NOT '=' AND local IS NOT target THEN waiting
                ELSE excluded.waiting END
        """

    static func bind(
        _ statement: Statement, _ bucket: String, _ key: ExactText,
        _ object: ClientBucket.SavedObject, waiting: Int64
    ) {
        func text(_ value: JSONValue?) -> String? { value?.text() }
        statement.bind(1, key.string)
        statement.bind(2, object.ghost?.version)
        let (ghost, local) = (text(object.ghost?.data), text(object.local))
        statement.bind(3, ghost)
        statement.bind(4, local == ghost ? same : local)
        statement.bind(5, object.sent.map { Self.text($0.change) })
        statement.bind(6, text(object.sent?.target))
        statement.bind(7, object.sent?.sequence)
        statement.bind(8, object.sent?.answer.map(name))
        let held: Int? =
            switch object.hold {
            case nil: nil
            case .untilEdited: 0
            case .untilBelow(let bytes): max(1, bytes)
            }
        statement.bind(9, held)
        statement.bind(10, object.needsFull)
        statement.bind(11, object.wanted)
        statement.bind(12, object.tombstone)
        statement.bind(13, bucket)
        statement.bind(14, waiting)
    }

    static func read(_ row: Statement) -> (ExactText, ClientBucket.SavedObject) {
        func value(_ column: Int32) -> JSONValue? {
            row.optionalString(column).flatMap { try? JSONValue(parsing: $0) }
        }
        var object = ClientBucket.SavedObject()
        if let version = row.optionalInteger(1), let data = value(2) {
            object.ghost = ClientBucket.Ghost(version: version, data: data)
        }
        object.local = row.optionalString(3) == same ? object.ghost?.data : value(3)
        if let change = row.optionalString(4).flatMap({ change($0) }) {
            object.sent = ClientBucket.SentChange(
                change: change, target: value(5), sequence: Int(row.integer(6)),
                answer: row.optionalString(7).flatMap(answer))
        }
        object.hold = row.optionalInteger(8).map {
            $0 == 0 ? .untilEdited : .untilBelow(bytes: Int($0))
        }
        object.needsFull = row.integer(9) != 0
        object.wanted = row.optionalInteger(10)
        object.tombstone = row.optionalInteger(11)
        return (ExactText(row.string(0)), object)
    }

    /// A change as it is sent, without a channel.
    static func text(_ change: SimperiumChange<JSONValue>) -> String {
        String(
            decoding: SimperiumMessage(0, .changes([change])).encoded(by: .client), as: UTF8.self)
    }

    /// Reads what ``text(_:)-(SimperiumChange<JSONValue>)`` wrote.
    static func change(_ text: String) -> SimperiumChange<JSONValue>? {
        let bytes = Array(text.utf8)
        let command = SimperiumCommand.parse(bytes, from: .client)
        guard case .changes(let changes)? = SimperiumMessage(command, in: bytes)?.body else {
            return nil
        }
        return changes.first
    }

    private static func name(_ answer: ClientBucket.Answer) -> String {
        switch answer {
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .badVersion: "bad_version"
        }
    }

    private static func answer(_ name: String) -> ClientBucket.Answer? {
        switch name {
        case "accepted": .accepted
        case "duplicate": .duplicate
        case "bad_version": .badVersion
        default: nil
        }
    }
}
