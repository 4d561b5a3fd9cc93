import Filters

/// Finds filters that can hold for nothing since two conditions exclude each other.
enum FilterContradiction {
    /// A field that conditions which all have to hold exclude each other about, if there is one.
    static func field(in node: FilterNode) -> Field? {
        switch node {
        case .always, .comparison: return nil
        case .not: return nil
        case .or(let nodes):
            // One way to hold is enough.
            let fields = nodes.map { field(in: $0) }
            return fields.contains { $0 == nil } ? nil : fields.first ?? nil
        case .and(let nodes):
            var conditions: [Condition] = []
            for node in nodes {
                if let field = field(in: node) { return field }
                collect(node, into: &conditions)
            }
            for (index, condition) in conditions.enumerated() {
                let others = conditions[..<index]
                if others.contains(where: { $0.excludes(condition) }) { return condition.field }
            }
            return nil
        }
    }

    /// The requirement of one condition on a field: one of `tests` has to pass, or none where
    /// negated.
    private struct Condition {
        let field: Field
        let name: String?
        let tests: [FilterTest]
        let isNegated: Bool

        func excludes(_ other: Condition) -> Bool {
            guard field == other.field, name == other.name else { return false }
            switch (isNegated, other.isNegated) {
            case (true, true): return false
            case (false, true): return tests.allSatisfy { $0.implies(one: other.tests, field) }
            case (true, false): return other.excludes(self)
            case (false, false):
                guard field.hasOneValue else { return false }
                return tests.allSatisfy { test in
                    other.tests.allSatisfy { test.excludes($0, field) }
                }
            }
        }
    }

    private static func collect(_ node: FilterNode, into conditions: inout [Condition]) {
        switch node {
        case .always: break
        case .and(let nodes): for node in nodes { collect(node, into: &conditions) }
        case .comparison(let comparison):
            conditions.append(
                Condition(
                    field: comparison.field, name: comparison.name, tests: [comparison.test],
                    isNegated: false))
        case .or(let nodes):
            if let condition = alternatives(nodes) { conditions.append(condition) }
        case .not(let node):
            var inner: [Condition] = []
            switch node {
            case .comparison: collect(node, into: &inner)
            case .or(let nodes):
                if let condition = alternatives(nodes) { inner.append(condition) }
            case .always, .and, .not: break
            }
            for condition in inner {
                conditions.append(
                    Condition(
                        field: condition.field, name: condition.name, tests: condition.tests,
                        isNegated: !condition.isNegated))
            }
        }
    }

    /// A set: comparisons with the same field, of which one has to hold.
    private static func alternatives(_ nodes: [FilterNode]) -> Condition? {
        var tests: [FilterTest] = []
        var subject: FilterComparison?
        for node in nodes {
            guard case .comparison(let comparison) = node else { return nil }
            if let subject, subject.field != comparison.field || subject.name != comparison.name {
                return nil
            }
            subject = comparison
            tests.append(comparison.test)
        }
        return subject.map {
            Condition(field: $0.field, name: $0.name, tests: tests, isNegated: false)
        }
    }
}

extension FilterTest {
    /// Whether no value passes both.
    fileprivate func excludes(_ other: FilterTest, _ field: Field) -> Bool {
        let ignoresCase = field.details.ignoresCase
        switch (self, other) {
        case (.range(let a), .range(let b)): return !a.overlaps(b)
        case (.equal(let a), .equal(let b)):
            return !Self.values(beside: a, field).contains {
                ignoresCase ? $0.lowercased() == b.lowercased() : $0 == b
            }
        case (.equal(let text), .glob(let glob)), (.glob(let glob), .equal(let text)):
            return !Self.values(beside: text, field).contains { value in
                var value = value
                return value.withUTF8 {
                    glob.matches(UnsafeRawBufferPointer($0), ignoringCase: ignoresCase)
                }
            }
        default: return false
        }
    }

    /// What the field may be too where it is `value`: an `init` with `i` or `cv` in its `cmd` has
    /// both names.
    private static func values(beside value: String, _ field: Field) -> [String] {
        guard field == .command else { return [value] }
        return switch value {
        case "init": ["init", "i", "cv"]
        case "i", "cv": [value, "init"]
        default: [value]
        }
    }

    /// Whether every value that passes also passes one of `others`.
    fileprivate func implies(one others: [FilterTest], _ field: Field) -> Bool {
        others.contains { other in
            switch (self, other) {
            case (_, .exists): true
            case (.range(let a), .range(let b)): b.contains(a)
            case (.equal(let a), .equal(let b)):
                field.details.ignoresCase ? a.lowercased() == b.lowercased() : a == b
            default: self == other
            }
        }
    }
}

extension ClosedRange<Int64> {
    fileprivate func contains(_ other: ClosedRange<Int64>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}

extension Field {
    /// Whether nothing has more than one value of it.
    var hasOneValue: Bool {
        switch self {
        case .kind, .id, .session, .connection, .at, .size, .problem, .api, .method, .scheme,
            .host, .port, .path, .query, .url, .version, .status, .reason, .outcome, .duration,
            .device, .local, .requestSize, .responseSize, .retryAfter, .sender, .command,
            .channel, .bucket, .app, .opcode, .closeCode, .fate, .recorder, .label:
            true
        case .body, .text, .note, .header, .requestHeader, .responseHeader, .requestBody,
            .responseBody, .document, .nature, .xmlns, .instance, .syncToken, .payload, .key, .cv,
            .error, .ccid, .clientid, .operation, .sv, .ev, .fault, .verdict, .intervention,
            .finding, .undecided:
            false
        }
    }
}

extension FilterNode {
    /// Whether it may hold for a thing of this kind.
    func canHold(for subject: FilterSubject) -> Bool { holds(for: subject) != false }

    /// Whether it holds for all or none of a kind; nil where that depends.
    private func holds(for subject: FilterSubject) -> Bool? {
        switch self {
        case .always: return true
        case .and(let nodes):
            let parts = nodes.map { $0.holds(for: subject) }
            if parts.contains(false) { return false }
            return parts.allSatisfy { $0 == true } ? true : nil
        case .or(let nodes):
            let parts = nodes.map { $0.holds(for: subject) }
            if parts.contains(true) { return true }
            return parts.allSatisfy { $0 == false } ? false : nil
        case .not(let node): return node.holds(for: subject).map { !$0 }
        case .comparison(let comparison):
            guard comparison.field == .kind else { return nil }
            return Filter(self).matches(Kind(subject: subject))
        }
    }
}

/// A subject of which only the kind is known.
private struct Kind: FilterSubjectValues {
    let subject: FilterSubject

    func value(of field: Field, name: String?) -> FilterValue? { nil }
}
