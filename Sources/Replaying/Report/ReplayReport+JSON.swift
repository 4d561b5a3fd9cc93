public import Notation
import Wire

extension ReplayReport {
    /// The report for programs: `satisfied`, and `sections` with their counts and items.
    ///
    /// - Parameters:
    ///   - allowsUnused: Whether something may be left over.
    ///   - allowsBridged: Whether the client may have bridged differences.
    /// - Returns: An object.
    public func json(allowsUnused: Bool = false, allowsBridged: Bool = false) -> JSONValue {
        let isSatisfied = isSatisfied(allowsUnused: allowsUnused, allowsBridged: allowsBridged)
        return .object(
            JSONObject([
                .init("satisfied", .bool(isSatisfied)),
                .init("sections", .array(sections.map(\.json))),
            ]))
    }
}

extension ReplayReport.Section {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                .init("name", .string(name)),
                .init("recorded", .number(String(recorded))),
                .init("matched", .number(String(matched))),
                .init("missed", .number(String(missed))),
                .init("unused", .number(String(unused))),
                .init("notNeeded", .number(String(notNeeded))),
                .init("misses", .array(misses.map(\.json))),
                .init("unusedItems", .array(unusedItems.map(\.json))),
                .init("bridged", .number(String(bridged))),
                .init("bridgedItems", .array(bridgedItems.map(\.json))),
            ]))
    }
}

extension ReplayReport.Item {
    fileprivate var json: JSONValue {
        var object = JSONObject([.init("line", .string(line))])
        if !detail.isEmpty { object.members.append(.init("detail", .string(detail))) }
        return .object(object)
    }
}
