import Notation

/// The members of one line of an add-on, each taken once.
struct AddonMembers {
    private var nodes: [String: JSONDocument.Node] = [:]
    /// Offset of the end of the object, for what is missing.
    private let end: Int

    /// The members of the object in `line`.
    init(_ line: [UInt8]) throws(AddonError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument.scan(line, limits: JSONLimits(depth: 32, values: 100_000))
        } catch {
            throw AddonError(.notJSON(error), at: error.offset)
        }
        try self.init(document.root)
    }

    /// The members of an object within a line.
    init(_ object: JSONDocument.Node) throws(AddonError) {
        guard object.kind == .object else {
            throw AddonError(.notAnObject, at: object.range.lowerBound)
        }
        end = max(object.range.lowerBound, object.range.upperBound - 1)
        for member in object.members {
            let name = member.key.string ?? ""
            guard nodes[name] == nil else {
                throw AddonError(.unexpected(Self.shown(name)), at: member.key.range.lowerBound)
            }
            nodes[name] = member.value
        }
    }

    /// The names that are left.
    var isEmpty: Bool { nodes.isEmpty }

    /// Whether there is such a member.
    func has(_ name: String) -> Bool { nodes[name] != nil }

    /// Takes a member that may be missing.
    mutating func take(_ name: String) -> JSONDocument.Node? {
        nodes.removeValue(forKey: name)
    }

    /// Takes a member that has to be there.
    mutating func need(_ name: String) throws(AddonError) -> JSONDocument.Node {
        guard let node = take(name) else { throw AddonError(.missing(name), at: end) }
        return node
    }

    /// Takes a text.
    mutating func text(_ name: String) throws(AddonError) -> String {
        let node = try need(name)
        return try Self.text(node, name)
    }

    /// Takes a whole number within a range; nil where it is missing.
    mutating func integer(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(AddonError) -> Int64? {
        guard let node = take(name) else { return nil }
        guard let value = node.int, range.contains(value) else {
            throw AddonError(
                .invalid(
                    name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
                ),
                at: node.range.lowerBound)
        }
        return value
    }

    /// Takes true or false; nil where it is missing.
    mutating func flag(_ name: String) throws(AddonError) -> Bool? {
        guard let node = take(name) else { return nil }
        guard let value = node.bool else {
            throw AddonError(
                .invalid(name, expected: "true or false"), at: node.range.lowerBound)
        }
        return value
    }

    /// Takes an array; empty where it is missing.
    mutating func array(_ name: String) throws(AddonError) -> [JSONDocument.Node] {
        guard let node = take(name) else { return [] }
        guard node.kind == .array else {
            throw AddonError(.invalid(name, expected: "an array"), at: node.range.lowerBound)
        }
        return Array(node.elements)
    }

    /// Takes content: `text`, or Base64 in `bytes`; nil where neither is there.
    mutating func content() throws(AddonError) -> [UInt8]? {
        let text = take("text")
        let bytes = take("bytes")
        if let text {
            if let bytes { throw AddonError(.unexpected("bytes"), at: bytes.range.lowerBound) }
            return Array(try Self.text(text, "text").utf8)
        }
        guard let bytes else { return nil }
        guard let base64 = bytes.string, let content = Base64.decode(base64.utf8) else {
            throw AddonError(.invalid("bytes", expected: "Base64"), at: bytes.range.lowerBound)
        }
        return content
    }

    /// Takes header fields: an object of names with texts, or null for a field to be removed.
    mutating func fields(mayRemove: Bool) throws(AddonError) -> [AddonField] {
        guard let node = take("headers") else { return [] }
        guard node.kind == .object else {
            throw AddonError(.invalid("headers", expected: "an object"), at: node.range.lowerBound)
        }
        var fields: [AddonField] = []
        for member in node.members {
            let place = member.key.range.lowerBound
            let name = member.key.string ?? ""
            guard AddonField.isName(name) else {
                throw AddonError(
                    .invalid(Self.shown(name), expected: "the name of a header field"), at: place)
            }
            if member.value.isNull, mayRemove {
                fields.append(AddonField(name: name, value: nil))
                continue
            }
            let value = try Self.text(member.value, name)
            guard AddonField.isValue(value) else {
                throw AddonError(
                    .invalid(name, expected: "a value without control characters"), at: place)
            }
            fields.append(AddonField(name: name, value: value))
        }
        return fields
    }

    /// Checks that every member was taken.
    func finish() throws(AddonError) {
        guard
            let (name, node) = nodes.min(by: {
                $0.value.range.lowerBound < $1.value.range.lowerBound
            })
        else { return }
        throw AddonError(.unexpected(Self.shown(name)), at: node.range.lowerBound)
    }

    static func text(_ node: JSONDocument.Node, _ name: String) throws(AddonError) -> String {
        guard node.kind == .string, !node.hasLoneSurrogate, let text = node.string else {
            throw AddonError(.invalid(shown(name), expected: "a text"), at: node.range.lowerBound)
        }
        return text
    }

    /// The beginning of a name that an add-on sent.
    static func shown(_ name: String) -> String {
        let text = name.unicodeScalars.prefix(40).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
        }.joined()
        return name.unicodeScalars.count > 40 ? text + "…" : text
    }
}
