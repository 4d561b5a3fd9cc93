internal import Foundation
internal import Notation
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

    /// Adds the names of rules whose faults touched it, where there are any.
    mutating func add(faults: [String]) {
        if !faults.isEmpty { add("faults", .list(faults)) }
    }

    /// Adds the findings that it shows and what could not be decided, where there are any.
    public mutating func add(findings: [String], undecided: [String]) {
        if !findings.isEmpty { add("findings", .list(findings)) }
        if !undecided.isEmpty { add("undecided", .list(undecided)) }
    }

    // MARK: JSON

    /// An object on one line, without line end; bytes are `{"base64":"…"}`.
    public var json: String {
        let texts = members.map { "\(JSONString.quoted($0.name)):\(Self.json($0.cell))" }
        return "{\(texts.joined(separator: ","))}"
    }

    private static func json(_ cell: Cell) -> String {
        switch cell {
        case .null: "null"
        case .integer(let number): String(number)
        case .text(let text): JSONString.quoted(text)
        case .bytes(let bytes): #"{"base64":"\#(Base64.encode(bytes))"}"#
        case .list(let texts): "[\(texts.map(JSONString.quoted).joined(separator: ","))]"
        }
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
        columns.map { name in
            guard let cell = members.first(where: { $0.name == name })?.cell else { return "" }
            switch cell {
            case .null: return ""
            case .integer(let number): return String(number)
            case .text(let text): return Self.field(text, isRaw: isRaw)
            case .bytes(let bytes): return "base64:" + Base64.encode(bytes)
            case .list(let texts):
                return Self.field(texts.joined(separator: " "), isRaw: isRaw)
            }
        }.joined(separator: ",")
    }

    private static func field(_ text: String, isRaw: Bool) -> String {
        let starters: [UInt8] = [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D]
        let isFormula = !isRaw && (text.utf8.first.map(starters.contains) ?? false)
        let value = isFormula ? "'" + text : text
        // By bytes: a character of Swift's may be a quote with what follows it.
        guard value.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else {
            return value
        }
        var quoted: [UInt8] = [0x22]
        for byte in value.utf8 {
            if byte == 0x22 { quoted.append(0x22) }
            quoted.append(byte)
        }
        return String(decoding: quoted + [0x22], as: UTF8.self)
    }
}
