internal import CSQLite
internal import Notation
internal import Storage
internal import Trace
internal import Wire

/// Fills an empty trace with the contents of a recording.
final class RecordingLoader {
    private let trace: NewTrace
    private let folder: String
    private let head: RecordingHead
    private var place = RowText.Place()
    private var insertions: [String: Statement] = [:]

    init(_ trace: NewTrace, folder: String, _ head: RecordingHead) throws {
        self.trace = trace
        self.folder = folder
        self.head = head
    }

    /// Reads all lines.
    ///
    /// - Parameter progress: Called periodically with the part that is read, in 0...1; returns
    ///   whether to continue.
    /// - Returns: How many they are.
    /// - Throws: ``FileError`` with file and line, or the error of SQLite.
    func load(_ progress: (Double) -> Bool) throws -> Int64 {
        let db = try trace.open()
        defer {
            insertions = [:]
            db.close()
        }
        for table in [.session, .patch, .delivery] + TableDefinition.timeline {
            insertions[table.name] = try db.prepare(table.insertion)
        }
        var lines: Int64 = 0
        try db.execute("BEGIN IMMEDIATE")
        for row in head.sessions { try insert(row, of: .session) }
        for file in head.files { lines += try load(file, progress) }
        try setCounters(of: TableDefinition.recorded, db)
        try RecordingChecks(db: db).run { table, id, detail in
            try self.mistake(table, id, detail)
        }
        try db.execute("COMMIT")
        return lines
    }

    private func load(_ file: RecordingHead.File, _ progress: (Double) -> Bool) throws -> Int64 {
        let reader = try LineFile(
            path: folder + "/" + file.name, limit: RecordingExport.longestLine)
        while let line = try reader.next() {
            do {
                try take(line)
            } catch let mistake as RowMistake {
                throw reader.mistake(mistake.message)
            } catch let fault as StorageFault where fault.primary == SQLITE_CONSTRAINT {
                throw reader.mistake("a number is defined twice, or a value cannot be")
            }
            if reader.line % 1_024 == 0 {
                let share = Double(reader.position) / Double(max(1, reader.size))
                guard progress(min(1, share)) else { throw FileError.stopped }
            }
        }
        guard reader.line == file.lines else {
            throw reader.mistake(
                "the file has \(reader.line) lines, and \(RecordingHead.name) has \(file.lines): "
                    + "something is missing, or was added")
        }
        return file.lines
    }

    private func take(_ line: [UInt8]) throws {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONDocument.scan(
                line, limits: JSONLimits(depth: 8, values: 1_000_000)
            ).root
        } catch {
            throw RowMistake(error.offset, "\(error), \(error.offset) bytes into the line")
        }
        let table = try RowText.table(of: root, among: TableDefinition.timeline)
        let isChunk = table.name == "chunk"
        let (values, extra) = try RowText.read(
            root, of: table, after: place,
            extra: isChunk ? RecordedNames.parts(head.version) : [], version: head.version)
        if isChunk, let id = values[0].number, id <= place.chunk {
            throw RowMistake(0, "chunk \(id) comes after chunk \(place.chunk)")
        }
        place.pass(table, values)
        try insert(values, of: table)
        if let patches = extra["patches"] { try takeParts(patches, of: values, .patch, "patches") }
        if let deliveries = extra["deliveries"] {
            try takeParts(deliveries, of: values, .delivery, "deliveries")
        }
    }

    /// Inserts the rows of `table` in the member `name` of a chunk, each about some of its bytes,
    /// which begin and are as many as the first two columns after those of the chunk have.
    private func takeParts(
        _ node: JSONNode, of chunk: [StoredValue], _ table: TableDefinition, _ name: String
    ) throws {
        guard node.kind == .array, case .bytes(let bytes)? = chunk.last else {
            throw RowMistake(node.range.lowerBound, "\(name) are an array")
        }
        var position: Int64 = 0
        for (index, element) in node.elements.enumerated() {
            let part = try RowText.readPart(
                element, of: table, chunk: chunk[0].number ?? 0, index: index)
            let offset = part[2].number ?? 0
            let count = part[3].number ?? 0
            guard offset <= bytes.count, count <= Int64(bytes.count) - offset else {
                throw RowMistake(
                    0, "a \(table.name) ends beyond the \(bytes.count) bytes of its chunk")
            }
            guard offset >= position else {
                throw RowMistake(0, "a \(table.name) begins within the one before it")
            }
            guard table.name != TableDefinition.delivery.name || count > 0 else {
                throw RowMistake(0, "a delivery is of at least one byte")
            }
            position = offset + count
            try insert(part, of: table)
        }
    }

    private func insert(_ values: [StoredValue], of table: TableDefinition) throws {
        guard let insertion = insertions[table.name] else { return }
        insertion.bind(values)
        try insertion.run()
    }

    // MARK: Counters

    /// Stores the stated numbers that rows do not have, though they were given out.
    private func setCounters(of tables: [TableDefinition], _ db: Connection) throws {
        for table in tables {
            if let counter = table.counter { try setCounter(counter, table.name, db) }
        }
    }

    /// Stores those of derived rows, which decoding numbers.
    func setDerivedCounters() throws {
        let db = try trace.open()
        defer { db.close() }
        try setCounters(of: TableDefinition.numberedByDecoding, db)
    }

    private func setCounter(_ name: String, _ table: String, _ db: Connection) throws {
        guard let row = head.counters.first(where: { $0[0] == .text(Array(name.utf8)) }),
            let stated = row[1].number
        else { return }
        let free = try db.integer("SELECT coalesce(max(id), 0) + 1 FROM \(table)")
        guard stated >= free else {
            throw FileError(
                .malformed,
                "\(folder)/\(RecordingHead.name): counter \(name) is \(stated), "
                    + "and \(free - 1) is given out")
        }
        let set = try db.prepare("INSERT OR REPLACE INTO counter VALUES (?, ?)")
        set.bind(1, name)
        set.bind(2, stated)
        try set.run()
    }

    // MARK: Mistakes

    /// The error of a row, with the line that it is from.
    private func mistake(
        _ table: String, _ id: Int64, _ detail: String
    ) throws -> FileError {
        for file in head.files {
            let reader = try LineFile(
                path: folder + "/" + file.name, limit: RecordingExport.longestLine)
            while let line = try reader.next() {
                guard let root = try? JSONDocument.scan(line).root, root[table]?.int == id
                else { continue }
                return reader.mistake("\(table) \(id) \(detail)")
            }
        }
        return FileError(.malformed, "\(folder): \(table) \(id) \(detail)")
    }
}
