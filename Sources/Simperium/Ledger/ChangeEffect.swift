public import Notation

/// What a change does to the object that it is for.
///
/// Source: Simperium WebSocket API, "Change: c" and "Receiving Remote Changes".
public enum ChangeEffect<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Nothing: the server refused it, or its operation is not known.
    case nothing
    /// All objects of the bucket go.
    case empties
    /// The object goes.
    case removes
    /// The object is this whole one (`d`) then, whatever it was.
    case replaces(Value)
    /// Operations (`v`) make the object out of its version `sv`, or out of `{}` without one.
    ///
    /// Where the operations are missing nothing can be made of it.
    case edits(Value?, sv: Int64?)
}

extension SimperiumChange {
    /// What it does to its object.
    public var effect: ChangeEffect<Value> {
        guard error == nil else { return .nothing }
        return switch operation {
        case .empty: .empties
        case .remove: .removes
        case .modify: data.map { .replaces($0) } ?? .edits(value, sv: sv)
        case .other, nil: .nothing
        }
    }

    /// The same by its operations alone, where it has any.
    ///
    /// Who receives a change applies its `v`; what it has beside that for a server is no part of
    /// what the server made of it.
    public var byOperations: Self {
        guard value != nil, data != nil else { return self }
        var change = self
        change.data = nil
        return change
    }
}

extension ChangeEffect {
    /// The object after it.
    ///
    /// - Parameters:
    ///   - base: The data of a version of the object; nil where they are not known.
    ///   - read: Reads JSON as the change holds it; nil where that cannot be read.
    /// - Returns: Nil where there is no object then, or it cannot be told.
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
    /// The object after it, of a change that was read from this message.
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
    /// - Parameter base: The data of a version of the object; nil where they are not known.
    /// - Returns: Nil where there is no object then, or it cannot be told.
    public func object(after base: (Int64) -> JSONValue?) -> JSONValue? {
        effect.object(after: base) { $0 }
    }
}

extension SimperiumChange<Range<Int>> {
    /// The object after this change.
    ///
    /// - Parameters:
    ///   - message: The message that it was read from.
    ///   - base: The data of a version of the object; nil where they are not known.
    /// - Returns: Nil where there is no object then, or it cannot be told.
    public func object(in message: [UInt8], after base: (Int64) -> JSONValue?) -> JSONValue? {
        effect.object(in: message, after: base)
    }
}
