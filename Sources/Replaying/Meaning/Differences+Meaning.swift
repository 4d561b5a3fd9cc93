internal import Notation
internal import Wire

extension Differences {
    /// Adds where two bodies differ in meaning.
    mutating func compare(_ a: Meaning, _ b: Meaning, in scope: Difference.Scope) {
        guard !isFull else { return }
        switch (a, b) {
        case (.nothing, .nothing): break
        case (.xml(let a), .xml(let b)):
            let path = "/\(a.name)"
            guard a.name == b.name, a.namespace == b.namespace else {
                let name = OneLine.pair(a.tag, b.tag)
                return add(Difference(.xml, "/", in: scope, recorded: name.0, live: name.1))
            }
            compare(a, b, at: path, in: scope)
        case (.json(let a), .json(let b)): compare(a, b, at: "", in: scope)
        case (.fields(let a), .fields(let b)): compare(a, b, .field, in: scope)
        case (.parts(let a), .parts(let b)): compare(a, b, in: scope)
        case (.bytes(let a), .bytes(let b)): compare(a, b, in: scope)
        default:
            add(Difference(.form, in: scope, recorded: a.summary, live: b.summary))
        }
    }

    // MARK: JSON

    mutating func compare(
        _ a: JSONValue, _ b: JSONValue, at path: String, in scope: Difference.Scope
    ) {
        guard !isFull else { return }
        switch (a, b) {
        case (.object(let a), .object(let b)):
            let others = b.index()
            let places = a.index()
            for (place, member) in a.members.enumerated() where places[member.key] == place {
                let inner = "\(path)/\(PathPattern.escaped(member.key.string))"
                if let other = others[member.key] {
                    compare(member.value, b.members[other].value, at: inner, in: scope)
                } else {
                    add(
                        Difference(
                            .json, inner, in: scope, recorded: member.value.excerpt, live: nil))
                }
            }
            for (place, member) in b.members.enumerated()
            where others[member.key] == place && places[member.key] == nil {
                add(
                    Difference(
                        .json, "\(path)/\(PathPattern.escaped(member.key.string))", in: scope,
                        recorded: nil, live: member.value.excerpt))
            }
        case (.array(let a), .array(let b)):
            // Equal elements at both ends show which element was inserted or removed.
            var start = 0
            while start < a.count, start < b.count, a[start].isSame(as: b[start]) { start += 1 }
            if start == a.count, start == b.count { return }
            var tail = 0
            while tail < a.count - start, tail < b.count - start,
                a[a.count - 1 - tail].isSame(as: b[b.count - 1 - tail])
            { tail += 1 }
            if a.count == b.count, isReordered(a, b, start..<(a.count - tail)) {
                return add(
                    Difference(
                        .order, path.isEmpty ? "the elements" : path, in: scope,
                        recorded: JSONValue.array(Array(a[start..<(a.count - tail)])).excerpt,
                        live: JSONValue.array(Array(b[start..<(b.count - tail)])).excerpt))
            }
            let most = max(a.count, b.count) - tail
            var index = start
            while index < most, !isFull {
                let inner = "\(path)/\(index)"
                let recorded = index < a.count - tail ? a[index] : nil
                let live = index < b.count - tail ? b[index] : nil
                if let recorded, let live {
                    compare(recorded, live, at: inner, in: scope)
                } else {
                    add(
                        Difference(
                            .json, inner, in: scope, recorded: recorded?.excerpt,
                            live: live?.excerpt))
                }
                index += 1
            }
        default:
            guard !a.isSame(as: b) else { return }
            let (recorded, live) = OneLine.pair(a.text(), b.text())
            add(Difference(.json, path, in: scope, recorded: recorded, live: live))
        }
    }

    /// Whether the elements are the same in another order; long stretches are not inspected.
    private func isReordered(_ a: [JSONValue], _ b: [JSONValue], _ range: Range<Int>) -> Bool {
        guard range.count > 1, range.count <= 64 else { return false }
        var rest = Array(b[range])
        for value in a[range] {
            guard let place = rest.firstIndex(where: { $0.isSame(as: value) }) else { return false }
            rest.remove(at: place)
        }
        return true
    }

    // MARK: XML

    private mutating func compare(
        _ a: XMLElement, _ b: XMLElement, at path: String, in scope: Difference.Scope
    ) {
        guard !isFull, a != b else { return }
        func attribute(
            _ name: String, _ recorded: String?, _ live: String?
        ) -> Difference {
            let values = OneLine.pair(recorded ?? "", live ?? "")
            return Difference(
                .xml, "\(path)/@\(name)", in: scope,
                recorded: recorded.map { _ in values.0.quoted },
                live: live.map { _ in values.1.quoted })
        }
        for one in a.attributes {
            let other = b.attributes.first { $0.name == one.name && $0.namespace == one.namespace }
            if one.value != other?.value { add(attribute(one.name, one.value, other?.value)) }
        }
        for one in b.attributes
        where !a.attributes.contains(where: { $0.name == one.name && $0.namespace == one.namespace }
        ) {
            add(attribute(one.name, nil, one.value))
        }
        compareContent(a.content, b.content, at: path, in: scope)
    }

    private mutating func compareContent(
        _ a: [XMLElement.Content], _ b: [XMLElement.Content], at path: String,
        in scope: Difference.Scope
    ) {
        var places: [String: Int] = [:]
        func step(_ content: XMLElement.Content) -> String {
            guard case .element(let element) = content else { return "\(path)/text()" }
            places[element.name, default: 0] += 1
            return "\(path)/\(element.name)[\(places[element.name] ?? 1)]"
        }
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            if isFull { return }
            let recorded = i < a.count ? a[i] : nil
            let live = j < b.count ? b[j] : nil
            switch (recorded, live) {
            case (.element(let one)?, .element(let other)?)
            where one.name == other.name && one.namespace == other.namespace:
                compare(one, other, at: step(.element(one)), in: scope)
                (i, j) = (i + 1, j + 1)
            case (.text(let one)?, .text(let other)?):
                if one != other {
                    let (recorded, live) = OneLine.pair(one, other)
                    add(
                        Difference(
                            .xml, "\(path)/text()", in: scope, recorded: recorded.quoted,
                            live: live.quoted))
                }
                (i, j) = (i + 1, j + 1)
            case (let one?, let other?):
                // The nearer one that occurs on the other side shows what was inserted or removed.
                let added = b[j...].prefix(16).firstIndex { $0.isLike(one) }
                let missing = a[i...].prefix(16).firstIndex { $0.isLike(other) }
                if let added, missing.map({ added - j <= $0 - i }) ?? true {
                    add(
                        Difference(
                            .xml, step(other), in: scope, recorded: nil, live: other.excerpt))
                    j += 1
                } else if missing != nil {
                    add(Difference(.xml, step(one), in: scope, recorded: one.excerpt, live: nil))
                    i += 1
                } else {
                    add(
                        Difference(
                            .xml, step(one), in: scope, recorded: one.excerpt, live: other.excerpt))
                    (i, j) = (i + 1, j + 1)
                }
            case (let one?, nil):
                add(Difference(.xml, step(one), in: scope, recorded: one.excerpt, live: nil))
                i += 1
            case (nil, let other?):
                add(Difference(.xml, step(other), in: scope, recorded: nil, live: other.excerpt))
                j += 1
            case (nil, nil): return
            }
        }
    }

    // MARK: Fields, parts, bytes

    /// Adds where two lists of fields differ; both are sorted by name.
    mutating func compare(
        _ a: [FormField], _ b: [FormField], _ kind: Difference.Kind, in scope: Difference.Scope
    ) {
        var (i, j) = (0, 0)
        while i < a.count || j < b.count {
            if isFull { return }
            let one = i < a.count ? a[i] : nil
            let other = j < b.count ? b[j] : nil
            if let one, other.map({ one.name < $0.name }) ?? true {
                add(
                    Difference(
                        kind, OneLine.text(one.name), in: scope,
                        recorded: OneLine.text(one.value).quoted, live: nil))
                i += 1
            } else if let other, one.map({ other.name < $0.name }) ?? true {
                add(
                    Difference(
                        kind, OneLine.text(other.name), in: scope, recorded: nil,
                        live: OneLine.text(other.value).quoted))
                j += 1
            } else if let one, let other {
                if one.value != other.value {
                    let (recorded, live) = OneLine.pair(one.value, other.value)
                    add(
                        Difference(
                            kind, OneLine.text(one.name), in: scope, recorded: recorded.quoted,
                            live: live.quoted))
                }
                (i, j) = (i + 1, j + 1)
            }
        }
    }

    private mutating func compare(
        _ a: [Meaning.Part], _ b: [Meaning.Part], in scope: Difference.Scope
    ) {
        let names = a.map(\.title)
        let others = b.map(\.title)
        if names != others, names.sorted() == others.sorted() {
            return add(
                Difference(
                    .order, "the parts", in: scope,
                    recorded: OneLine.text(names.joined(separator: ", ")),
                    live: OneLine.text(others.joined(separator: ", "))))
        }
        for index in 0..<max(a.count, b.count) {
            if isFull { return }
            let inner = scope.part(index)
            guard index < a.count, index < b.count else {
                let one = index < a.count ? a[index].title : nil
                let other = index < b.count ? b[index].title : nil
                add(
                    Difference(
                        .presence, "part", in: inner, recorded: one.map { OneLine.text($0) },
                        live: other.map { OneLine.text($0) }))
                continue
            }
            for (what, one, other) in [
                ("name", a[index].name, b[index].name),
                ("filename", a[index].filename, b[index].filename),
                ("Content-Type", a[index].mediaType, b[index].mediaType),
            ] where one != other {
                add(
                    Difference(
                        .part, what, in: inner, recorded: one.map { OneLine.text($0).quoted },
                        live: other.map { OneLine.text($0).quoted }))
            }
            compare(a[index].meaning, b[index].meaning, in: inner)
        }
    }

    private mutating func compare(_ a: [UInt8], _ b: [UInt8], in scope: Difference.Scope) {
        guard a != b else { return }
        let common = zip(a, b).prefix { $0 == $1 }.count
        func from(_ bytes: [UInt8]) -> String {
            let rest = bytes[min(common, bytes.count)...].prefix(24)
            let shown =
                rest.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
                ? String(decoding: rest, as: UTF8.self).quoted
                : rest.map { Hexadecimal.text([$0]) }.joined(separator: " ")
            return "\(shown) (of \(bytes.count) bytes)"
        }
        add(Difference(.bytes, String(common), in: scope, recorded: from(a), live: from(b)))
    }
}

extension Meaning {
    /// What it is, for a difference in kind.
    fileprivate var summary: String {
        switch self {
        case .nothing: "no body"
        case .xml(let root): "XML, \(OneLine.text(root.tag))"
        case .json(let value): "JSON, \(value.excerpt)"
        case .fields(let fields): "a form of \(fields.count) fields"
        case .parts(let parts): "a multipart body of \(parts.count) parts"
        case .bytes(let bytes): "\(bytes.count) bytes"
        }
    }
}

extension Meaning.Part {
    fileprivate var title: String {
        (name ?? "(no name)") + (filename.map { " (\($0))" } ?? "")
    }
}

extension XMLElement {
    fileprivate var tag: String {
        "<\(name)>" + (namespace.map { " of \($0)" } ?? "")
    }
}

extension XMLElement.Content {
    fileprivate func isLike(_ other: XMLElement.Content) -> Bool {
        switch (self, other) {
        case (.element(let a), .element(let b)): a.name == b.name && a.namespace == b.namespace
        case (.text, .text): true
        default: false
        }
    }

    fileprivate var excerpt: String {
        switch self {
        case .text(let text): OneLine.text(text).quoted
        case .element(let element):
            switch element.content.first {
            case .text(let text)? where element.content.count == 1:
                OneLine.text("<\(element.name)>\(text.prefix(96))")
            case nil: OneLine.text("<\(element.name)/>")
            default: OneLine.text("<\(element.name)>…")
            }
        }
    }
}

extension JSONValue {
    /// The value on one line, shortened.
    var excerpt: String {
        switch self {
        case .array(let elements) where elements.count > 64: "an array of \(elements.count)"
        case .object(let object) where object.members.count > 64:
            "an object of \(object.members.count) members"
        default: OneLine.text(text())
        }
    }
}

extension String {
    /// The text in quotes.
    var quoted: String { "\"\(self)\"" }
}
