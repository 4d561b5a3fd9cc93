internal import BoundedYAML
internal import Yams

/// A part of a YAML file with its line.
struct AccountsNode {
    private let node: Node
    private let line: Int

    private init(_ node: Node, line: Int) {
        self.node = node
        self.line = node.mark?.line ?? line
    }

    /// The one document of a file.
    init(parsing yaml: String) throws(AccountsError) {
        let found: Node?
        do {
            found = try BoundedYAML.compose(yaml)
        } catch let error as YamlError {
            // What is missing at the end is reported on the line after it.
            let found = Self.readable(error)
            let lines = 1 + yaml.count { $0.isNewline }
            throw AccountsError(line: min(found.line, lines), found.reason)
        } catch {
            throw AccountsError(line: 1, "it cannot be read: \(error)")
        }
        guard let found else {
            throw AccountsError(line: 1, "the file is empty; it needs users or apps")
        }
        self.init(found, line: 1)
    }

    /// An error at this place.
    func error(_ reason: String) -> AccountsError { AccountsError(line: line, reason) }

    /// The members of a map that may have these keys and no others.
    func members(_ known: [String]) throws(AccountsError) -> [String: AccountsNode] {
        guard let mapping = node.mapping else {
            throw error("a map with \(known.joined(separator: ", ")) is expected here")
        }
        var result: [String: AccountsNode] = [:]
        for (key, value) in mapping {
            let place = AccountsNode(key, line: line)
            guard let name = key.string, known.contains(name) else {
                throw place.error(
                    "\(key.string ?? "this") is not a key here; the keys are "
                        + known.joined(separator: ", "))
            }
            result[name] = AccountsNode(value, line: place.line)
        }
        return result
    }

    /// A member that has to be there.
    func required(
        _ name: String, in members: [String: AccountsNode]
    ) throws(AccountsError) -> AccountsNode {
        guard let node = members[name] else { throw error("\(name) is missing") }
        return node
    }

    /// The elements of a list.
    func elements() throws(AccountsError) -> [AccountsNode] {
        guard let list = node.sequence else { throw error("a list is expected here") }
        return list.map { AccountsNode($0, line: line) }
    }

    /// A text; numbers count as text, as they are written.
    func text() throws(AccountsError) -> String {
        guard let scalar = node.scalar, !(scalar.style == .plain && scalar.string.isEmpty) else {
            throw error("a text is expected here")
        }
        return scalar.string
    }

    /// A list of texts.
    func texts() throws(AccountsError) -> [String] {
        var result: [String] = []
        for element in try elements() { result.append(try element.text()) }
        return result
    }

    /// `true` or `false`.
    func flag() throws(AccountsError) -> Bool {
        switch node.scalar?.string {
        case "true": return true
        case "false": return false
        default: throw error("true or false is expected here")
        }
    }

    /// A whole number.
    func number(_ range: ClosedRange<Int>) throws(AccountsError) -> Int {
        guard let number = node.scalar.flatMap({ Int($0.string) }), range.contains(number) else {
            throw error(
                "a whole number from \(range.lowerBound) to \(range.upperBound) is expected here")
        }
        return number
    }

    private static func readable(_ error: YamlError) -> AccountsError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return AccountsError(line: max(mark.line, 1), problem)
        case .duplicatedKeysInMapping(let duplicates, let context):
            return AccountsError(
                line: max(context.mark.line, 1),
                "written twice: \(duplicates.sorted().joined(separator: ", "))")
        case .reader(let problem, let offset, _, let yaml):
            let before = yaml.prefix(offset ?? 0)
            return AccountsError(line: 1 + before.count { $0.isNewline }, problem)
        default: return AccountsError(line: 1, "it cannot be read")
        }
    }
}
