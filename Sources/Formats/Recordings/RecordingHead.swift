internal import Notation
internal import Trace
internal import Wire

/// The contents of `recording.json`: format, origin, sessions and files.
struct RecordingHead {
    /// A file with lines.
    struct File: Hashable {
        var name: String
        /// How many lines it has.
        var lines: Int64
    }

    /// Its origin, as free text; empty where not given.
    var about = ""
    /// Rows of `session`.
    var sessions: [[StoredValue]] = []
    /// Rows of `counter` that do not follow from the highest numbers.
    var counters: [[StoredValue]] = []
    var files: [File] = []
    /// Version of the text form that it has.
    private(set) var version = Self.version

    static let name = "recording.json"
    static let timeline = "timeline.jsonl"
    /// Version of the text form that this program writes.
    static let version: Int64 = 4
    /// Versions of the text form that this program reads.
    static let versions: ClosedRange<Int64> = 1...version
    private static let format = "tapedeck recording"
    /// The maximum size of `recording.json` in bytes.
    private static let limit = 16 << 20

    // MARK: Writing

    /// The text of `recording.json`.
    func text() throws(RowMistake) -> [UInt8] {
        var output = Array("{\n  \"format\": \"\(Self.format)\",\n".utf8)
        output.append(contentsOf: "  \"version\": \(Self.version),\n".utf8)
        if !about.isEmpty {
            output.append(contentsOf: "  \"about\": ".utf8)
            let lines = about.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
            try Self.list(lines, to: &output) { line, output in
                JSONWriting.string(line, to: &output)
            }
            output.append(contentsOf: ",\n".utf8)
        }
        output.append(contentsOf: "  \"sessions\": ".utf8)
        try Self.list(sessions, to: &output) { row, output throws(RowMistake) in
            output.append(0x7B)
            try RowText.write(row, of: .session, to: &output)
            output.append(0x7D)
        }
        if !counters.isEmpty {
            output.append(contentsOf: ",\n  \"counters\": ".utf8)
            try Self.list(counters, to: &output) { row, output throws(RowMistake) in
                output.append(0x7B)
                try RowText.write(row, of: .counter, to: &output)
                output.append(0x7D)
            }
        }
        output.append(contentsOf: ",\n  \"files\": ".utf8)
        try Self.list(files, to: &output) { file, output in
            output.append(contentsOf: #"{"name":"\#(file.name)","lines":\#(file.lines)}"#.utf8)
        }
        output.append(contentsOf: "\n}\n".utf8)
        guard output.count <= Self.limit else {
            throw RowMistake(0, "\(Self.name) would have more than \(Self.limit) bytes")
        }
        return output
    }

    private static func list<Element>(
        _ elements: [Element], to output: inout [UInt8],
        _ write: (Element, inout [UInt8]) throws(RowMistake) -> Void
    ) throws(RowMistake) {
        output.append(0x5B)
        for (index, element) in elements.enumerated() {
            output.append(contentsOf: (index == 0 ? "\n    " : ",\n    ").utf8)
            try write(element, &output)
        }
        if !elements.isEmpty { output.append(contentsOf: "\n  ".utf8) }
        output.append(0x5D)
    }

    // MARK: Reading

    init() {}

    /// Reads the `recording.json` of `folder`.
    ///
    /// - Throws: ``FileError`` where there is no such folder, it is not a recording or one of a
    ///   later version, or the file is invalid, with the line.
    init(folder: String) throws(FileError) {
        guard Folder.isFolder(folder) else {
            throw FileError(
                .cannotOpen, "\(folder) is not a folder that can be opened; check the name")
        }
        let path = folder + "/" + Self.name
        guard Folder.isThere(path) else {
            throw FileError(
                .malformed, "\(folder) is not a recording: it has no \(Self.name)")
        }
        let bytes = try LineFile(path: path, limit: Self.limit).all()
        do throws(RowMistake) {
            let document = try Self.scan(bytes)
            version = try Self.statedVersion(document.root)
            if Self.versions.contains(version) { try read(document.root) }
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == 0x0A } + 1
            throw FileError(.malformed, "\(path):\(line): \(error.message)")
        }
        guard Self.versions.contains(version) else {
            throw FileError(
                version > Self.version ? .newerFormat : .malformed,
                "\(path) has version \(version), this program reads 1 to \(Self.version): use a "
                    + "later tapedeck")
        }
    }

    private static func scan(_ bytes: [UInt8]) throws(RowMistake) -> JSONDocument {
        do throws(JSONError) {
            return try JSONDocument.scan(bytes, limits: JSONLimits(depth: 8, values: 1_000_000))
        } catch {
            throw RowMistake(error.offset, "\(error)")
        }
    }

    private static func statedVersion(_ root: JSONNode) throws(RowMistake) -> Int64 {
        guard root["format"]?.spells(format) == true else {
            throw RowMistake(root.range.lowerBound, "format is not \(format)")
        }
        guard let node = root["version"], let version = node.int else {
            throw RowMistake(root.range.lowerBound, "version is missing or not a number")
        }
        return version
    }

    private mutating func read(_ root: JSONNode) throws(RowMistake) {
        var seen: Set<String> = []
        for member in root.members {
            let name = member.key.string ?? ""
            guard seen.insert(name).inserted else {
                throw RowMistake(member.key.range.lowerBound, "\(name) is defined twice")
            }
            let value = member.value
            switch name {
            case "format", "version": break
            case "about":
                var lines: [String] = []
                for line in try Self.elements(value, name) {
                    lines.append(String(decoding: try ByteText.string(line), as: UTF8.self))
                }
                about = lines.joined(separator: "\n")
            case "sessions": sessions = try Self.rows(value, name, of: .session)
            case "counters": counters = try Self.rows(value, name, of: .counter)
            case "files": files = try Self.elements(value, name).map(Self.file)
            default: throw RowMistake(member.key.range.lowerBound, "no member \(name) exists")
            }
        }
        for name in ["sessions", "files"] where !seen.contains(name) {
            throw RowMistake(root.range.lowerBound, "\(name) is missing")
        }
    }

    private static func elements(
        _ node: JSONNode, _ name: String
    ) throws(RowMistake) -> [JSONNode] {
        guard node.kind == .array else {
            throw RowMistake(node.range.lowerBound, "\(name) is an array")
        }
        return Array(node.elements)
    }

    private static func rows(
        _ node: JSONNode, _ name: String, of table: TableDefinition
    ) throws(RowMistake) -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        var keys: Set<StoredValue> = []
        for element in try elements(node, name) {
            _ = try RowText.table(of: element, among: [table])
            let row = try RowText.read(element, of: table).values
            guard let key = row.first, keys.insert(key).inserted else {
                throw RowMistake(element.range.lowerBound, "this \(table.name) is defined twice")
            }
            rows.append(row)
        }
        return rows
    }

    private static func file(_ node: JSONNode) throws(RowMistake) -> File {
        guard let name = node["name"]?.string, let lines = node["lines"]?.int, lines >= 0,
            Array(node.members).count == 2
        else {
            throw RowMistake(node.range.lowerBound, "a file has name and lines")
        }
        // No way out of the folder.
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isPlain, name.hasSuffix(".jsonl"), !name.hasPrefix("."), name.utf8.count <= 100
        else {
            throw RowMistake(
                node.range.lowerBound, "a file is named in letters and digits and ends in .jsonl")
        }
        return File(name: name, lines: lines)
    }
}
