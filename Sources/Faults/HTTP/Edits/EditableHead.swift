import Filters
import Framing
import Notation

/// The head of a message, to be changed.
struct EditableHead {
    /// A field line: of the head as received, or another.
    private struct Field {
        /// The line where it is not as received.
        var made: [UInt8]?
        /// Where the name is in that line, or in the head as received.
        var name: Range<Int>
        var line: Range<Int>
    }

    /// The head as received.
    private let source: [UInt8]
    private var startLine: [UInt8]
    private var fields: [Field]
    private let ending: Range<Int>

    /// The head as received.
    init(_ head: HTTPHead) {
        source = head.bytes
        let start =
            head.fields.first?.line.lowerBound
            ?? source.firstIndex(of: 0x0A).map { $0 + 1 } ?? source.count
        startLine = Array(source[..<start])
        fields = head.fields.map { Field(made: nil, name: $0.name, line: $0.line) }
        ending = (head.fields.last?.line.upperBound ?? start)..<source.count
    }

    /// The head as it is now.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + 128)
        bytes += startLine
        for field in fields { bytes += (field.made ?? source)[field.line] }
        bytes += source[ending]
        return bytes
    }

    /// Puts a field in the place of all of its name, or after all others.
    mutating func set(_ name: String, _ value: String) {
        let made = Self.field(name, value)
        guard let first = fields.firstIndex(where: { isNamed(name, $0) }) else {
            fields.append(made)
            return
        }
        fields[first] = made
        for index in fields.indices.dropFirst(first + 1).reversed()
        where isNamed(name, fields[index]) { fields.remove(at: index) }
    }

    /// Adds a field behind all others.
    mutating func add(_ name: String, _ value: String) { fields.append(Self.field(name, value)) }

    private static func field(_ name: String, _ value: String) -> Field {
        let name = HeaderText.clean(name)
        let line = Array("\(name): \(HeaderText.clean(value))\r\n".utf8)
        return Field(made: line, name: 0..<name.utf8.count, line: 0..<line.count)
    }

    /// Whether a field has this name, without regard to the case of ASCII letters.
    private func isNamed(_ name: String, _ field: Field) -> Bool {
        let name = HeaderText.clean(name).utf8
        guard name.count == field.name.count else { return false }
        let line = field.made ?? source
        return zip(name, line[field.name]).allSatisfy { Self.lowercased($0) == Self.lowercased($1) }
    }

    /// Changes the target of a request.
    ///
    /// - Parameter change: Gets the path with what precedes it, and the query with its question mark.
    /// - Returns: Whether there is a target that can be changed.
    mutating func changeTarget(
        _ change: (_ path: inout [UInt8], _ query: inout [UInt8]) -> Void
    ) -> Bool {
        let parts = startLine.split(
            separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty else { return false }
        let end = parts[1].firstIndex(of: UInt8(ascii: "?")) ?? parts[1].endIndex
        var path = Array(parts[1][..<end])
        var query = Array(parts[1][end...])
        change(&path, &query)
        let words = [Array(parts[0]), path + query, Array(parts[2])]
        startLine = Array(words.joined(separator: [0x20]))
        return true
    }

    /// Carries out an action `edit` of a head.
    ///
    /// - Throws: ``EditProblem`` where the head does not have what is edited.
    mutating func edit(_ action: FaultAction) throws(EditProblem) {
        let place = action.text("at") ?? ""
        let value = action.text("to") ?? ""
        switch EditedPart(action) {
        case .header: set(place, value)
        case .status: setStatus(Int(place) ?? 200)
        case .query:
            try target { _, query in
                query =
                    [UInt8(ascii: "?")]
                    + FormField.setting(place, value, in: Array(query.dropFirst()))
            }
        case .path:
            var edited = Result<[UInt8], EditProblem>.success(Array(place.utf8))
            try target { path, _ in
                let start = Self.beforePath(path)
                if action.text("to") != nil {
                    edited = Self.rewritten(Array(path[start.count...]), action)
                }
                if case .success(let other) = edited { path = start + other }
            }
            _ = try edited.get()
        case .json, .jsonRemove, .form, .replace, .xml, nil: break
        }
    }

    private mutating func target(
        _ change: (_ path: inout [UInt8], _ query: inout [UInt8]) -> Void
    ) throws(EditProblem) {
        guard changeTarget(change) else { throw EditProblem("the target has no place for it") }
    }

    /// A path with its matches of a regular expression replaced.
    private static func rewritten(
        _ path: [UInt8], _ action: FaultAction
    ) -> Result<[UInt8], EditProblem> {
        Result { () throws(EditProblem) in
            let regex = try ContentEdit.regex(action.text("at") ?? "")
            let replacement = try ContentEdit.replacement(action.text("to") ?? "", for: regex)
            let other: [UInt8]
            do throws(RegexSearch.TooLong) {
                other = try replacement.applied(to: path)
            } catch {
                throw EditProblem("the search for \(regex.pattern) takes too long in this path")
            }
            guard HeaderShape.isPath(String(decoding: other, as: UTF8.self)) else {
                throw EditProblem(
                    "\(HeaderText.clean(String(decoding: other, as: UTF8.self))) is no path: it begins with / and has no query"
                )
            }
            return other
        }
    }

    /// Makes the target of a request one without scheme and authority.
    ///
    /// - Parameter prefix: What comes before the path.
    mutating func setOriginForm(prefix: String) {
        _ = changeTarget { path, _ in
            let rest = path.dropFirst(Self.beforePath(path).count)
            guard rest.first != UInt8(ascii: "*") else { return }
            path = Array(prefix.utf8) + (rest.isEmpty ? [UInt8(ascii: "/")] : Array(rest))
        }
    }

    /// Scheme and authority of a target that has them.
    private static func beforePath(_ target: [UInt8]) -> [UInt8] {
        guard target.first != UInt8(ascii: "/"),
            let slashes = target.indices.dropLast().first(where: {
                target[$0] == UInt8(ascii: "/") && target[$0 + 1] == UInt8(ascii: "/")
            })
        else { return [] }
        let authority = target[(slashes + 2)...]
        return Array(target[..<(authority.firstIndex(of: UInt8(ascii: "/")) ?? target.endIndex)])
    }

    /// Changes the status of a response, with its phrase.
    mutating func setStatus(_ status: Int) {
        let version = Array(startLine.prefix { $0 != 0x20 })
        startLine = version + Array(" \(status) \(LocalAnswer.reason(status))\r\n".utf8)
    }

    /// Removes all fields of a name.
    ///
    /// - Returns: Whether there were any.
    mutating func remove(_ name: String) -> Bool {
        let count = fields.count
        fields = fields.filter { !isNamed(name, $0) }
        return fields.count < count
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

/// Text of a head.
enum HeaderText {
    /// `text` without line breaks and other control characters, which would end a field.
    static func clean(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
