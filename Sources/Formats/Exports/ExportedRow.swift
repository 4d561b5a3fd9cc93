internal import Notation
internal import Trace
internal import Wire

/// A row as other programs read it: names and values, in order.
public struct ExportedRow: Hashable, Sendable {
    /// A value.
    public enum Cell: Hashable, Sendable {
        /// Nothing.
        case null
        /// A number.
        case integer(Int64)
        /// Text.
        case text(String)
        /// Bytes that are not text.
        case bytes([UInt8])
        /// Several texts.
        case list([String])
    }

    /// A value and its name, which is that of the column in the trace where there is one.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var cell: Cell
    }

    /// The values, in order, each name once.
    public private(set) var members: [Member] = []

    /// The names, in order.
    var names: [String] { members.map(\.name) }

    /// A row of this kind, such as `exchange`, and when that was on the wall clock, in UTC.
    init(kind: String, at: Instant, since start: Int64?) {
        members.reserveCapacity(32)
        add("kind", kind)
        let time = start.map { Timestamp(unixNanoseconds: $0 &+ at.nanoseconds).text(digits: 6) }
        add("time", time)
    }

    /// A row of these names and values.
    init(_ members: [(String, Cell)]) {
        self.members = members.map { Member(name: $0, cell: $1) }
    }

    mutating func add(_ name: String, _ cell: Cell) {
        members.append(Member(name: name, cell: cell))
    }

    mutating func add(_ name: String, _ value: String?) {
        add(name, value.map { .text($0) } ?? .null)
    }

    mutating func add(_ name: String, _ value: Int64?) {
        add(name, value.map { .integer($0) } ?? .null)
    }

    mutating func add(_ name: String, _ value: Int?) { add(name, value.map(Int64.init)) }

    /// Adds the names of the rules that touched it, where there are any.
    mutating func add(rules: TouchingRules) {
        if !rules.faults.isEmpty { add("faults", .list(rules.faults)) }
        if !rules.edits.isEmpty { add("edits", .list(rules.edits)) }
    }

    /// Adds the findings that it shows and what could not be decided, where there are any.
    public mutating func add(findings: [String], undecided: [String]) {
        if !findings.isEmpty { add("findings", .list(findings)) }
        if !undecided.isEmpty { add("undecided", .list(undecided)) }
    }

    /// Adds the recorder that it is of, and the labels of its session, where there are any.
    public mutating func add(recorder: String, labels: [String]) {
        add("recorder", recorder)
        if !labels.isEmpty { add("labels", .list(labels)) }
    }

    // MARK: JSON

    /// An object on one line, without line end; bytes are `{"base64":"…"}`.
    public var json: String {
        var line: [UInt8] = []
        writeJSON(to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// Appends ``json``.
    package func writeJSON(to line: inout [UInt8]) {
        line.append(0x7B)
        for (place, member) in members.enumerated() {
            if place > 0 { line.append(0x2C) }
            Self.quote(member.name, to: &line)
            line.append(0x3A)
            switch member.cell {
            case .null: line.append(contentsOf: "null".utf8)
            case .integer(let number): Self.write(number, to: &line)
            case .text(let text): Self.quote(text, to: &line)
            case .bytes(let bytes): JSONWriting.base64(bytes[...], to: &line)
            case .list(let texts):
                line.append(0x5B)
                for (place, text) in texts.enumerated() {
                    if place > 0 { line.append(0x2C) }
                    Self.quote(text, to: &line)
                }
                line.append(0x5D)
            }
        }
        line.append(0x7D)
    }

    private static func quote(_ text: String, to line: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F })
            else { return JSONString.write(bytes, escapesDelete: true, to: &line) }
            line.append(0x22)
            line.append(contentsOf: bytes)
            line.append(0x22)
        }
    }

    /// Appends a number in decimal, without a text for it.
    private static func write(_ number: Int64, to line: inout [UInt8]) {
        guard number > 9 else {
            if 0...9 ~= number { return line.append(0x30 + UInt8(number)) }
            return line.append(contentsOf: String(number).utf8)
        }
        let start = line.count
        var rest = number
        while rest > 0 {
            line.append(0x30 + UInt8(rest % 10))
            rest /= 10
        }
        line[start...].reverse()
    }

    // MARK: CSV

    /// A line as RFC 4180 has it, without line end, with a value for each of `columns`.
    ///
    /// - Parameters:
    ///   - columns: Names; a value that the row does not have is empty, as null is.
    ///   - isRaw: Whether texts stay as they are. Otherwise one that a spreadsheet would take for a
    ///     formula, since it begins with `=`, `+`, `-`, `@`, a tab or a carriage return, gets an
    ///     apostrophe in front.
    /// - Returns: The line; bytes are `base64:…`, and several texts have spaces between them.
    public func csv(_ columns: [String], isRaw: Bool = false) -> String {
        var line: [UInt8] = []
        writeCSV(columns, isRaw: isRaw, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// Appends ``csv(_:isRaw:)``.
    func writeCSV(_ columns: [String], isRaw: Bool, to line: inout [UInt8]) {
        // Columns mostly follow each other as the members do.
        var next = 0
        for (place, name) in columns.enumerated() {
            if place > 0 { line.append(0x2C) }
            if next >= members.count || members[next].name != name {
                guard let found = members.firstIndex(where: { $0.name == name }) else { continue }
                next = found
            }
            Self.write(members[next].cell, isRaw: isRaw, to: &line)
            next += 1
        }
    }

    private static func write(_ cell: Cell, isRaw: Bool, to line: inout [UInt8]) {
        switch cell {
        case .null: break
        case .integer(let number): write(number, to: &line)
        case .text(let text): field(text, isRaw: isRaw, to: &line)
        case .bytes(let bytes):
            line.append(contentsOf: "base64:".utf8)
            Base64.encode(bytes[...], to: &line)
        case .list(let texts): field(texts.joined(separator: " "), isRaw: isRaw, to: &line)
        }
    }

    private static func field(_ text: String, isRaw: Bool, to line: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes in
            // By bytes: a character of Swift's may be a quote with what follows it.
            let isQuoted = bytes.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
            if isQuoted { line.append(0x22) }
            switch bytes.first {
            case 0x3D?, 0x2B?, 0x2D?, 0x40?, 0x09?, 0x0D?:
                if !isRaw { line.append(0x27) }
            default: break
            }
            guard isQuoted else { return line.append(contentsOf: bytes) }
            for byte in bytes {
                if byte == 0x22 { line.append(0x22) }
                line.append(byte)
            }
            line.append(0x22)
        }
    }
}
