import Notation
internal import Trace
internal import Wire

/// Rows as members of a JSON object, and back.
enum RowText {
    /// The default place of a row among those that are not chunks.
    struct Place: Hashable {
        /// The last chunk, 0 for none.
        var chunk: Int64 = 0
        /// How many rows of other tables came after it.
        var step: Int64 = 0

        /// The value of a column that follows from the order of lines; nil for any other.
        func implied(_ column: String) -> Int64? {
            switch column {
            case "after_chunk_id": chunk
            case "step": step + 1
            default: nil
            }
        }

        /// Moves past a row of `table`.
        mutating func pass(_ table: TableDefinition, _ values: [StoredValue]) {
            if table.name == "chunk" {
                self = Place(chunk: values.first?.number ?? chunk)
            } else if let after = table.index("after_chunk_id"), let step = table.index("step"),
                let number = values[after].number, let place = values[step].number, place > 0
            {
                self = Place(chunk: number, step: place)
            }
        }
    }

    // MARK: Writing

    /// Appends the members of a row, apart from those that follow from its place.
    ///
    /// - Throws: ``RowMistake`` where a value is one that no recording may have.
    static func write(
        _ values: [StoredValue], of table: TableDefinition, after place: Place = Place(),
        to output: inout [UInt8]
    ) throws(RowMistake) {
        for (index, column) in table.columns.enumerated() {
            let value = values[index]
            if let number = value.number, number == place.implied(column.name) { continue }
            try check(value, column, at: 0)
            if value == .null { continue }
            JSONWriting.name(index == 0 ? table.name : column.name, to: &output)
            write(value, column, to: &output)
        }
    }

    /// Appends the members of a row that is in the line of its chunk, as far as they do not follow
    /// from that.
    static func writePart(
        _ values: [StoredValue], of table: TableDefinition, to output: inout [UInt8]
    ) throws(RowMistake) {
        output.append(0x7B)
        for (column, value) in zip(table.columns, values).dropFirst(2) {
            try check(value, column, at: 0)
            if value == .null { continue }
            JSONWriting.name(column.name, to: &output)
            write(value, column, to: &output)
        }
        output.append(0x7D)
    }

    private static func write(
        _ value: StoredValue, _ column: ColumnDefinition, to output: inout [UInt8]
    ) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .number(let number):
            if case .word(let words) = column.content, words.indices.contains(Int(number)) {
                JSONWriting.string(words[Int(number)].utf8, to: &output)
            } else {
                JSONWriting.number(number, to: &output)
            }
        case .text(let bytes):
            if TextScan.isUnicode(bytes) {
                JSONWriting.string(bytes, to: &output)
            } else {
                JSONWriting.base64(bytes[...], to: &output)
            }
        case .bytes(let bytes): ByteText.write(bytes, to: &output)
        }
    }

    // MARK: Reading

    /// The row in `node`, and those of its members `extra` that it has.
    ///
    /// - Parameters:
    ///   - node: The object; offsets of mistakes are those of its document.
    ///   - table: The table; see ``table(of:among:)``.
    ///   - place: What came before.
    ///   - extra: Members that are not columns.
    ///   - version: Version of the text form.
    /// - Returns: A value for each column, and the values of `extra` by name.
    /// - Throws: ``RowMistake``.
    static func read(
        _ node: JSONNode, of table: TableDefinition, after place: Place = Place(),
        extra: [String] = [], version: Int64 = RecordingHead.version
    ) throws(RowMistake) -> (values: [StoredValue], extra: [String: JSONNode]) {
        var values = [StoredValue?](repeating: nil, count: table.columns.count)
        var more: [String: JSONNode] = [:]
        for member in node.members {
            if let name = extra.first(where: { more[$0] == nil && member.key.spells($0) }) {
                more[name] = member.value
                continue
            }
            let found = table.columns.indices.first { index in
                let name = RecordedNames.member(table.columns[index], of: table, version)
                return member.key.spells(index == 0 ? table.name : name)
            }
            if found == nil, RecordedNames.isGone(member.key, of: table, version) { continue }
            guard let index = found, values[index] == nil else {
                let name = member.key.string ?? ""
                throw RowMistake(
                    member.key.range.lowerBound,
                    found == nil
                        ? "\(table.name) has no member \(name)" : "\(name) is defined twice")
            }
            let value = try read(member.value, table.columns[index])
            values[index] = RecordedNames.value(value, of: table.columns[index], version)
        }
        var row: [StoredValue] = []
        for (index, column) in table.columns.enumerated() {
            if let value = values[index] {
                row.append(value)
            } else if let number = place.implied(column.name) {
                row.append(.number(number))
            } else if let value = RecordedNames.added(column, of: table, version) {
                row.append(value)
            } else if column.isOptional {
                row.append(.null)
            } else {
                let name = index == 0 ? table.name : column.name
                throw RowMistake(node.range.lowerBound, "\(name) is missing")
            }
        }
        return (row, more)
    }

    /// The row of `table` in `node`, the one at `index` in the line of the chunk `chunk`.
    static func readPart(
        _ node: JSONNode, of table: TableDefinition, chunk: Int64, index: Int
    ) throws(RowMistake) -> [StoredValue] {
        let id = chunk.multipliedReportingOverflow(by: Tables.share)
        guard node.kind == .object, !id.overflow, index < Tables.share else {
            throw RowMistake(node.range.lowerBound, "a \(table.name) is an object")
        }
        var values: [StoredValue] = [.number(id.partialValue + Int64(index)), .number(chunk)]
        for column in table.columns.dropFirst(2) {
            let found = node.all(column.name)
            if found.isEmpty, column.isOptional {
                values.append(.null)
                continue
            }
            guard let value = found.first, found.count == 1 else {
                throw RowMistake(
                    node.range.lowerBound, "a \(table.name) has \(column.name) once")
            }
            values.append(try read(value, column))
        }
        for member in node.members {
            guard
                table.columns.dropFirst(2).contains(where: { column in
                    member.key.spells(column.name)
                })
            else {
                throw RowMistake(
                    member.key.range.lowerBound,
                    "\(table.name) has no member \(member.key.string ?? "")")
            }
        }
        return values
    }

    /// The table that the first member of `node` names.
    static func table(
        of node: JSONNode, among tables: [TableDefinition]
    ) throws(RowMistake) -> TableDefinition {
        var members = node.members
        guard node.kind == .object, let first = members.next() else {
            throw RowMistake(node.range.lowerBound, "a line is an object with members")
        }
        guard let table = tables.first(where: { first.key.spells($0.name) }) else {
            throw RowMistake(
                first.key.range.lowerBound,
                "the first member names what it is: "
                    + tables.map(\.name).joined(separator: ", "))
        }
        return table
    }

    private static func read(
        _ node: JSONNode, _ column: ColumnDefinition
    ) throws(RowMistake) -> StoredValue {
        let place = node.range.lowerBound
        let value: StoredValue
        switch column.content {
        case .number:
            guard let number = node.int else {
                throw RowMistake(place, "\(column.name) is a whole number below 2^63")
            }
            value = .number(number)
        case .word(let words):
            if let index = words.firstIndex(where: { node.spells($0) }) {
                value = .number(Int64(index))
            } else if let number = node.int {
                value = .number(number)
            } else {
                throw RowMistake(
                    place, "\(column.name) is \(words.joined(separator: " or "))")
            }
        case .text: value = .text(try ByteText.readText(node))
        case .bytes: value = .bytes(try ByteText.read(node))
        }
        try check(value, column, at: place)
        return value
    }

    private static func check(
        _ value: StoredValue, _ column: ColumnDefinition, at place: Int
    ) throws(RowMistake) {
        switch (value, column.content) {
        case (.null, _):
            guard !column.isOptional else { return }
            throw RowMistake(place, "\(column.name) is missing")
        case (.number(let number), .number(let least)):
            guard number < least else { return }
            throw RowMistake(place, "\(column.name) is \(number), and must be at least \(least)")
        case (.number, .word), (.text, .text), (.bytes, .bytes): return
        default: throw RowMistake(place, "\(column.name) is of another type")
        }
    }
}
