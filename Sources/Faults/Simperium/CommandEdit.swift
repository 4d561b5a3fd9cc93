import Notation
import Simperium
import Wire

/// Changes of single commands, byte for byte as received but for what is changed.
enum CommandEdit {
    private typealias Splice = (range: Range<Int>, bytes: [UInt8])

    /// Another `current` in a page of the index; nil where there is no page.
    static func movingCurrent(_ text: [UInt8], to cv: String) -> [UInt8]? {
        guard case .indexPage = SimperiumCommand.parse(text, from: .server).body,
            let root = json(text), root.kind == .object
        else { return nil }
        let value = JSONValue.string(cv).bytes()
        if let current = root["current"] { return spliced(text, [(current.range, value)]) }
        let start = root.range.lowerBound + 1
        let isEmpty = root.members.first { _ in true } == nil
        return spliced(
            text,
            [(start..<start, Array("\"current\":".utf8) + value + (isEmpty ? [] : [0x2C]))])
    }

    /// Other identifiers in all changes; nil where there are none.
    static func replacingCcids(_ text: [UInt8], draw: () -> String) -> [UInt8]? {
        var splices: [Splice] = []
        for change in changes(text) {
            for name in ["ccids", "ccid"] {
                guard let value = change[name] else { continue }
                if value.kind == .array {
                    let count = max(1, value.elements.reduce(0) { sum, _ in sum + 1 })
                    let list = JSONValue.array((0..<count).map { _ in .string(draw()) })
                    splices.append((value.range, list.bytes()))
                } else {
                    splices.append((value.range, JSONValue.string(draw()).bytes()))
                }
            }
        }
        return splices.isEmpty ? nil : spliced(text, splices)
    }

    /// Greater versions in all changes of objects; nil where there are none.
    ///
    /// What creates or removes an object is unchanged: nothing in it could show the gap, and the
    /// client would have a version that does not exist.
    static func movingVersions(_ text: [UInt8], by step: Int64) -> [UInt8]? {
        var splices: [Splice] = []
        for change in changes(text) where change["sv"] != nil && change["o"]?.string == "M" {
            for name in ["sv", "ev"] {
                guard let value = change[name] else { continue }
                let number = value.int ?? value.string.flatMap { Int64($0) }
                guard let moved = number?.addingReportingOverflow(step), !moved.overflow else {
                    continue
                }
                let quote: [UInt8] = value.kind == .string ? [0x22] : []
                splices.append((value.range, quote + Array("\(moved.partialValue)".utf8) + quote))
            }
        }
        return splices.isEmpty ? nil : spliced(text, splices)
    }

    /// Changes after which a member has a value; nil where no change says what becomes of it.
    ///
    /// The member is there before an operation that changes it, and is not before one that adds it;
    /// without any operation nobody can say which is right. Both sides then have the same base.
    /// Source: Simperium/Specification.md, "jsondiff".
    static func settingMember(
        _ text: [UInt8], from sender: Peer, _ name: String, to value: [UInt8]
    ) -> [UInt8]? {
        var splices: [Splice] = []
        for change in changes(text, from: sender) where change["o"]?.string == "M" {
            if let operation = change["v"]?[name], let kind = operation["o"]?.string {
                let isNew = kind == "+"
                splices.append(
                    (
                        operation.range,
                        Array("{\"o\":\"\(isNew ? "+" : "r")\",\"v\":".utf8) + value + [0x7D]
                    ))
            }
            if let whole = change["d"], whole.kind == .object, let known = whole[name] {
                splices.append((known.range, value))
            }
        }
        return splices.isEmpty ? nil : spliced(text, splices)
    }

    /// A string delta that fits no text, in the first change that can have one.
    static func breakingDelta(_ text: [UInt8]) -> [UInt8]? {
        var operations: [JSONDocument.Node] = []
        for change in changes(text) {
            guard let value = change["v"], value.kind == .object else { continue }
            collect(value, into: &operations, depth: 0)
        }
        for operation in operations where operation["o"]?.string == "d" {
            guard let delta = operation["v"], delta.kind == .string else { continue }
            let start = delta.range.lowerBound + 1
            let isEmpty = delta.range.count == 2
            return spliced(
                text, [(start..<start, Array((isEmpty ? "=1000000" : "=1000000\\t").utf8))])
        }
        guard let operation = operations.first else { return nil }
        return spliced(
            text, [(operation.range, Array("{\"o\":\"d\",\"v\":\"=1000000\"}".utf8))])
    }

    /// Another number in a heartbeat.
    static func movingHeartbeat(_ text: [UInt8], by step: Int64) -> [UInt8]? {
        let command = SimperiumCommand.parse(text, from: .server)
        guard case .heartbeat(let count) = command.body else { return nil }
        let (moved, overflow) = count.addingReportingOverflow(step)
        return overflow ? nil : spliced(text, [(command.payload, Array("\(moved)".utf8))])
    }

    /// Another channel.
    static func movingChannel(_ text: [UInt8], to channel: Int64) -> [UInt8]? {
        let digits = text.prefix { $0 &- 0x30 < 10 }.count
        guard digits > 0, digits < text.count, text[digits] == 0x3A else { return nil }
        return spliced(text, [(0..<digits, Array("\(channel)".utf8))])
    }

    /// An `init` without its `cmd`; nil where there is none.
    static func withoutRequest(_ text: [UInt8]) -> [UInt8]? {
        let command = SimperiumCommand.parse(text, from: .client)
        guard case .initialize = command.body,
            let root = try? JSONDocument.scan(text, in: command.payload).root,
            root.kind == .object
        else { return nil }
        let members = Array(root.members)
        // With the comma behind it, or before it where it is the last.
        let splices: [Splice] = members.indices.filter { members[$0].key.string == "cmd" }.map {
            let start = members[$0].key.range.lowerBound
            if $0 + 1 < members.count {
                return (start..<members[$0 + 1].key.range.lowerBound, [])
            }
            let before = $0 == 0 ? start : members[$0 - 1].value.range.upperBound
            return (before..<members[$0].value.range.upperBound, [])
        }
        return splices.isEmpty ? nil : spliced(text, splices)
    }

    /// Refusals in the place of changes.
    ///
    /// - Parameters:
    ///   - text: A server's `c`.
    ///   - refusal: The refusal for the identifiers of a change; nil leaves it as it is.
    /// - Returns: The `c` with refusals in it; nil where there are none.
    static func refusing(
        _ text: [UInt8], refusal: ([String]) -> [UInt8]?
    ) -> [UInt8]? {
        guard
            case .changes(let changes) = SimperiumCommand.parse(text, from: .server).body
        else { return nil }
        let splices: [Splice] = changes.compactMap { change in
            refusal(change.ccids).map { (change.range, $0) }
        }
        return splices.isEmpty ? nil : spliced(text, splices)
    }

    private static func json(_ text: [UInt8]) -> JSONDocument.Node? {
        let payload = SimperiumCommand.parse(text, from: .server).payload
        return try? JSONDocument.scan(text, in: payload).root
    }

    private static func changes(
        _ text: [UInt8], from sender: Peer = .server
    ) -> [JSONDocument.Node] {
        guard SimperiumCommand.parse(text, from: sender).name == "c", let root = json(text) else {
            return []
        }
        return (root.kind == .array ? Array(root.elements) : [root]).filter { $0.kind == .object }
    }

    /// The operations of a map, including those of nested objects.
    private static func collect(
        _ map: JSONDocument.Node, into operations: inout [JSONDocument.Node], depth: Int
    ) {
        guard depth < 32 else { return }
        for member in map.members where member.value.kind == .object {
            operations.append(member.value)
            if let inner = member.value["v"], inner.kind == .object,
                member.value["o"]?.string == "O"
            {
                collect(inner, into: &operations, depth: depth + 1)
            }
        }
    }

    private static func spliced(_ text: [UInt8], _ splices: [Splice]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for splice in splices.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where splice.range.lowerBound >= position {
            result += text[position..<splice.range.lowerBound]
            result += splice.bytes
            position = splice.range.upperBound
        }
        return result + text[position...]
    }
}
