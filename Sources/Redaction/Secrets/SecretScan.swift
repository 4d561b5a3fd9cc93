internal import Notation
internal import Storage
public import Trace
internal import Wire

/// Searches a trace for what still looks like a secret.
///
/// It decodes and scans everything as ``Redaction`` does. In a session that is marked as redacted,
/// stand-ins are recognised by their checksum and skipped; a secret that was not replaced is taken
/// for one once in 64 times. Addresses in reserved domains are not secrets, and names of people and
/// devices are not looked for.
public enum SecretScan {
    /// Something that looks like a secret.
    public struct Sighting: Hashable, Sendable, CustomStringConvertible {
        /// What it looks like.
        public var kind: SecretKind
        /// The row and the place in it where it was seen first.
        public var place: String
        /// Its first characters but those of a password, and its length in bytes: `eyJh…(43)`.
        public var excerpt: String
        /// How many times it was seen.
        public var count: Int

        /// Kind, excerpt and place, as one line of text.
        public var description: String {
            "\(kind.rawValue) \(excerpt) in \(place)\(count > 1 ? ", \(count) times" : "")"
        }
    }

    /// The maximum number of different secrets that are reported: 1,000.
    public static let maxSightings = 1_000

    /// What still looks like a secret in the trace at `path`, each once, in the order in which they
    /// were seen.
    ///
    /// - Parameters:
    ///   - path: The trace.
    ///   - options: What else is a secret.
    ///   - progress: Called periodically with the part that is done, in 0...1; returns whether to
    ///     continue.
    /// - Returns: The sightings; at most ``maxSightings``.
    /// - Throws: ``FileError``.
    public static func run(
        _ path: String, options: RedactionOptions = RedactionOptions(),
        progress: (Double) -> Bool = { _ in true }
    ) throws(FileError) -> [Sighting] {
        let walk = try SecretWalk(options: options, key: [UInt8](repeating: 0, count: 32))
        let list = Sightings()
        walk.purpose = .report(list.see)
        try mappingErrors(of: path) {
            let db = try TraceCut.open(path)
            defer { db.close() }
            try db.execute("BEGIN")
            let redacted = try redactedSessions(db)
            let session = try db.prepare("SELECT session_id FROM main.connection WHERE id = ?")
            try RowsByConnection.make(db, of: "main")
            let connections = try Redaction.connections(db, of: "main")
            for (index, id) in connections.enumerated() {
                session.bind(1, id.rawValue)
                walk.isRedacted = try session.step() && redacted.contains(session.integer(0))
                session.reset()
                try ConnectionWalk(db, id, of: "main", by: walk).run()
                guard progress(Double(index) / Double(connections.count)) else {
                    throw FileError.stopped
                }
            }
            walk.isRedacted = false
            try readKept(db, walk)
            walk.isRedacted = !redacted.isEmpty
            try RedactedStatements(db, of: "main", by: walk).collect()
        }
        return list.all
    }

    /// Sessions with the mark that redaction sets.
    private static func redactedSessions(_ db: Connection) throws -> Set<Int64> {
        let marks = try db.prepare("SELECT session_id FROM main.mark WHERE name = ?")
        marks.bind(1, SecretWalk.mark)
        var found: Set<Int64> = []
        while try marks.step() { found.insert(marks.integer(0)) }
        return found
    }

    /// Rows of connections whose bytes were evicted.
    private static func readKept(_ db: Connection, _ walk: SecretWalk) throws {
        let kept = """
            (SELECT connection_id FROM main.gap
             WHERE reason = 'evicted' AND connection_id IS NOT NULL)
            """
        let bodies = try db.prepare(
            """
            SELECT b.exchange_id, CAST(b.head AS BLOB), CAST(b.content AS BLOB), b.content_type
            FROM main.body b JOIN main.any_exchange e ON e.id = b.exchange_id
            WHERE e.connection_id IN \(kept)
            """)
        while try bodies.step() {
            walk.place = "exchange \(bodies.integer(0))"
            var head = bodies.bytes(1)
            walk.keptHead(&head)
            var content = bodies.bytes(2)
            walk.content(&content, type: bodies.optionalString(3))
        }
        let messages = try db.prepare(
            """
            SELECT id, sender, opcode, CAST(payload AS BLOB) FROM main.any_message
            WHERE connection_id IN \(kept)
            """)
        var socket = SocketFacts(path: "")
        while try messages.step() {
            walk.place = "message \(messages.integer(0))"
            var payload = messages.bytes(3)
            walk.message(
                &payload, opcode: Int(messages.integer(2)),
                from: messages.integer(1) == 0 ? .client : .server, in: &socket)
        }
    }

    /// Gathers what is seen.
    private final class Sightings {
        private var places: [[UInt8]: Int] = [:]
        private(set) var all: [Sighting] = []

        func see(_ kind: SecretKind, _ secret: [UInt8], _ place: String) {
            if let index = places[secret] {
                all[index].count += 1
                return
            }
            guard all.count < SecretScan.maxSightings else { return }
            places[secret] = all.count
            let count = kind == .password ? 0 : secret.count < 8 ? 1 : 4
            let start = TerminalText.clean(String(decoding: secret.prefix(count), as: UTF8.self))
            all.append(
                Sighting(
                    kind: kind, place: place, excerpt: "\(start)…(\(secret.count))", count: 1))
        }
    }
}
