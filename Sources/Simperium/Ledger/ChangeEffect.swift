public import Notation

/// The effect of a change on its object.
///
/// Source: Simperium/Specification.md#changes, #remote-changes.
public enum ChangeEffect<Value: Hashable & Sendable>: Hashable, Sendable {
    /// None: the server refused it, or its operation is unknown.
    case nothing
    /// All objects of the bucket are removed.
    case empties
    /// The object is removed.
    case removes
    /// The object is replaced by this whole one (`d`).
    case replaces(Value)
    /// Operations (`v`) are applied to version `sv` of the object, or to `{}` without one.
    ///
    /// Without operations the result is unknown.
    case edits(Value?, sv: Int64?)
}

extension SimperiumChange {
    /// The effect on its object.
    public var effect: ChangeEffect<Value> {
        guard error == nil else { return .nothing }
        return switch operation {
        case .empty: .empties
        case .remove: .removes
        case .modify: data.map { .replaces($0) } ?? .edits(value, sv: sv)
        case .other, nil: .nothing
        }
    }

    /// The same change without its whole object, if it has operations.
    ///
    /// A receiver applies `v`; a `d` beside it was meant for the server, which merges it, and may
    /// differ from the result.
    public var byOperations: Self {
        guard value != nil, data != nil else { return self }
        var change = self
        change.data = nil
        return change
    }
}

extension ChangeEffect {
    /// The object after the change.
    ///
    /// - Parameters:
    ///   - base: The data of a version of the object; nil where they are unknown.
    ///   - read: Reads JSON as the change holds it; nil where it is not valid.
    /// - Returns: The data; nil where the object is gone, or its data are unknown.
    func object(
        after base: (Int64) -> JSONValue?, reading read: (Value) -> JSONValue?
    ) -> JSONValue? {
        switch self {
        case .nothing, .empties, .removes: return nil
        case .replaces(let whole): return read(whole)
        case .edits(let operations, let sv):
            guard let operations, let base = sv.map(base) ?? .object(JSONObject()),
                let map = read(operations)
            else { return nil }
            return try? JSONDiff.apply(map, to: base)
        }
    }
}

extension ChangeEffect<Range<Int>> {
    /// The object after a change that was read from this message.
    func object(in message: [UInt8], after base: (Int64) -> JSONValue?) -> JSONValue? {
        object(after: base) { range in
            guard range.upperBound <= message.count else { return nil }
            return (try? JSONDocument.scan(message, in: range)).map { JSONValue($0.root) }
        }
    }
}

extension SimperiumChange<JSONValue> {
    /// The object after this change.
    ///
    /// - Parameter base: The data of a version of the object; nil where they are unknown.
    /// - Returns: The data; nil where the object is gone, or its data are unknown.
    public func object(after base: (Int64) -> JSONValue?) -> JSONValue? {
        effect.object(after: base) { $0 }
    }
}

extension SimperiumChange<Range<Int>> {
    /// The object after this change.
    ///
    /// - Parameters:
    ///   - message: The message that it was read from.
    ///   - base: The data of a version of the object; nil where they are unknown.
    /// - Returns: The data; nil where the object is gone, or its data are unknown.
    public func object(in message: [UInt8], after base: (Int64) -> JSONValue?) -> JSONValue? {
        effect.object(in: message, after: base)
    }
}
