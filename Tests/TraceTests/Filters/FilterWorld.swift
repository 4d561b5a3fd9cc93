import Dissection
import Faults
import Notation
import Storage
import Wire

@testable import Trace

/// Random rows in a trace in memory, and the same as live traffic has them.
struct FilterWorld {
    private(set) var exchanges: [ExchangeRows] = []
    private(set) var messages: [MessageSubject] = []
    private(set) var commands: [CommandSubject] = []
    private var random: SplitMix64

    static let words = [
        "sync", "Notes", "größe", "a1", "b-2", "50%", "x_y", "A*", "[q]", "\\d", "",
    ]
    static let natures = ["submit_success", "submit_error", "simple"]
    static let codes = [200, 202, 404, 409, 412, 500]

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for number in 1...60 { exchanges.append(exchange(Int64(number))) }
        for number in 1...40 { messages.append(message(Int64(number))) }
        for number in 1...60 { commands.append(command(Int64(number))) }
    }

    private mutating func pick<T>(_ list: [T], _ other: T) -> T {
        list.randomElement(using: &random) ?? other
    }

    private mutating func word() -> String { pick(Self.words, "") }

    private mutating func perhaps<T>(_ make: (inout Self) -> T) -> T? {
        Bool.random(using: &random) ? make(&self) : nil
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &random)
    }

    private mutating func text() -> [UInt8] {
        let count = Int(number(0...5))
        let spaces = [" ", ", ", "<>", "", "\n"]
        return Array((0..<count).map { _ in word() + pick(spaces, " ") }.joined().utf8)
    }

    private mutating func note(_ exchange: ExchangeID?, _ message: MessageID?) -> [NoteRow] {
        (0..<Int(number(0...1))).map { _ in
            NoteRow(
                connection: ConnectionID(1), exchange: exchange, message: message,
                sender: .client, at: .zero, place: Place(chunk: ChunkID(1), offset: 0),
                code: pick(["http.two-lengths", "ws.mask"], ""), detail: "")
        }
    }

    private mutating func exchange(_ number: Int64) -> ExchangeRows {
        let id = ExchangeID(number)
        var row = ExchangeRow(
            id: id, connection: ConnectionID(self.number(1...3)),
            api: pick(["http", "commcare.restore", "commcare.submit"], ""),
            method: pick(["GET", "POST", "get"], ""), scheme: pick(["http", "https"], ""),
            host: pick(["www.example", "example", "ex_mple", "2001:db8::1"], ""),
            port: pick([80, 443, 8080], 80), path: "/" + word() + "/" + word(),
            query: perhaps { $0.word() }, version: "HTTP/1.1",
            startedAt: Instant(nanoseconds: self.number(0...5_000_000_000)),
            requestPlace: Place(chunk: ChunkID(1), offset: 0))
        row.status = perhaps { $0.pick(Self.codes, 200) }
        row.reason = perhaps { $0.word() }
        row.endedAt = perhaps {
            Instant(nanoseconds: row.startedAt.nanoseconds + $0.number(0...500_000_000))
        }
        row.requestSize = self.number(0...2000)
        row.responseSize = self.number(0...20_000)
        row.outcome = pick(ExchangeRow.Outcome.allCases, .open)
        row.problem = perhaps { $0.word() }
        row.retryAfter = perhaps { _ in "5" }
        row.device = perhaps { $0.word() }
        row.isLocal = Bool.random(using: &random)
        var subject = ExchangeRows(session: SessionID(self.number(1...2)), row: row)
        for sender in Peer.allCases where Bool.random(using: &random) {
            let isText = self.number(0...4) > 0
            let content = isText ? text() : text() + [0xFF, 0x41]
            let head = "GET / HTTP/1.1\r\nX-A: \(word())\r\nx-b:1\r\nX-a: \(word())\r\n\r\n"
            subject.bodies.append(
                BodyRow(
                    exchange: id, sender: sender, head: Array(head.utf8), content: content,
                    isText: isText, size: Int64(content.count)))
            if Bool.random(using: &random) {
                var document = OpenRosaRow(
                    exchange: id, sender: sender, part: nil,
                    kind: pick(["response", "form"], ""), root: "r")
                document.nature = perhaps { $0.pick(Self.natures, "") }
                document.namespace = perhaps { $0.word() }
                document.instanceID = perhaps { $0.word() }
                document.restoreID = perhaps { $0.word() }
                subject.documents.append(document)
            }
        }
        subject.notes = note(id, nil)
        return subject
    }

    private mutating func message(_ number: Int64) -> MessageSubject {
        let isText = self.number(0...4) > 0
        let payload = isText ? text() : text() + [0xC3]
        let at = self.number(0...5_000_000_000)
        let row = MessageRow(
            id: MessageID(number), connection: ConnectionID(self.number(1...3)),
            exchange: ExchangeID(1), sender: pick(Peer.allCases, .client),
            at: Instant(nanoseconds: at),
            endedAt: Instant(nanoseconds: at + self.number(0...500_000_000)),
            opcode: pick([1, 2, 8, 9, 10], 1), payload: payload, isText: isText,
            size: Int64(payload.count), wireSize: 0, isCompressed: false, frames: 1,
            closeCode: perhaps { $0.pick([1000, 1001], 1000) }, problem: perhaps { $0.word() },
            place: Place(chunk: ChunkID(1), offset: 0))
        return MessageSubject(
            session: SessionID(self.number(1...2)), row: row, notes: note(nil, row.id))
    }

    private mutating func command(_ number: Int64) -> CommandSubject {
        let message = pick(messages, messages[0])
        let text = perhaps { $0.text() }
        let whole = text ?? message.row.payload
        let offset = Int(self.number(0...Int64(whole.count)))
        let row = CommandRow(
            id: CommandID(number), message: message.row.id, connection: message.row.connection,
            position: 0, sender: message.row.sender, at: message.row.endedAt,
            channel: perhaps { Int($0.number(0...2)) },
            name: pick(["c", "e", "i", "?", "init"], ""),
            bucket: perhaps { $0.pick(["notes", "tags", "Notes"], "") }, app: perhaps { $0.word() },
            text: text, payloadOffset: offset, payloadSize: whole.count - offset,
            key: perhaps { $0.word() }, cv: perhaps { $0.word() },
            error: perhaps { $0.pick(Self.codes, 200) }, problem: perhaps { $0.word() })
        let changes = (0..<Int(self.number(0...3))).map { position in
            ChangeRow(
                command: row.id, position: position, bucket: nil, key: perhaps { $0.word() },
                operation: perhaps { $0.pick(["M", "-", "EMPTY"], "") },
                sv: perhaps { $0.number(0...3) }, ev: perhaps { $0.number(0...3) },
                cv: perhaps { $0.word() }, ccid: perhaps { $0.word() },
                clientID: perhaps { $0.word() }, error: perhaps { $0.pick(Self.codes, 200) },
                offset: 0, size: 0)
        }
        return CommandSubject(message: message, row: row, changes: changes)
    }

    /// Writes everything into `db`, whose search index then knows part of it.
    mutating func write(to db: Connection) throws {
        let statements = try DerivedStatements(db)
        var position = WritePosition()
        for subject in exchanges {
            let session = subject.session.rawValue
            try statements.write(.exchange(subject.row), session: session, at: &position)
            for row in subject.documents {
                try statements.write(.openRosa(row), session: session, at: &position)
            }
            for row in subject.notes {
                try statements.write(.note(row), session: session, at: &position)
            }
        }
        for subject in commands {
            let session = subject.message.session.rawValue
            try statements.write(.command(subject.row), session: session, at: &position)
            for row in subject.changes {
                try statements.write(.change(row), session: session, at: &position)
            }
        }
        for subject in messages {
            for row in subject.notes {
                try statements.write(
                    .note(row), session: subject.session.rawValue, at: &position)
            }
        }
        // Contents come in any order: some are indexed, some are late, and some are yet to come.
        var contents: [(session: Int64, row: DerivedRow)] = []
        for subject in exchanges {
            contents += try subject.bodies.map {
                (subject.session.rawValue, .body(try placed($0, db)))
            }
        }
        contents += messages.map { ($0.session.rawValue, .message($0.row)) }
        contents.shuffle(using: &random)
        let indexer = try SearchIndexer(db)
        for (index, content) in contents.enumerated() {
            try statements.write(content.row, session: content.session, at: &position)
            try indexer.noteWritten(content.row)
            guard index == contents.count / 2 else { continue }
            try statements.flush()
            while try indexer.slice(until: { false }) {}
        }
        try statements.flush()
    }

    /// The body as it is stored: with its head or its content, or both of them, in a chunk, or in none.
    private mutating func placed(_ row: BodyRow, _ db: Connection) throws -> BodyRow {
        var row = row
        let (hasHead, hasContent) = (
            Bool.random(using: &random), !row.content.isEmpty && Bool.random(using: &random)
        )
        guard hasHead || hasContent else { return row }
        let chunk = ChunkID(1000 + 2 * row.exchange.rawValue + Int64(row.sender.rawValue))
        var bytes = text()
        if hasHead {
            row.headPlace = Place(chunk: chunk, offset: bytes.count)
            bytes += row.head + text()
        }
        if hasContent {
            row.contentParts = [
                ContentPart(
                    place: Place(chunk: chunk, offset: bytes.count), count: row.content.count)
            ]
            bytes += row.content + text()
        }
        let statement = try db.prepare(
            "INSERT INTO chunk(id, connection_id, leg_id, sender, origin, at_ns, bytes) "
                + "VALUES (?, 1, 1, 0, 0, 0, ?)")
        statement.bind(1, chunk.rawValue)
        statement.bind(2, copying: bytes, asText: false)
        _ = try statement.step()
        return row
    }
}
