public import Notation
import Wire

/// Why a map of operations could not be applied to an object, and where in the object.
public struct DiffError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The operations of an object or array are not JSON object.
        case notAMap
        /// An operation is not an object with `o`.
        case notAnOperation
        /// No specification has this operation.
        case unknownOperation(String)
        /// The operation has no `v`, or one of the wrong kind.
        case badValue(operation: String)
        /// There is nothing with this key to apply the operation to.
        case nothingThere(operation: String)
        /// What is there is of another kind than the operation is for.
        case wrongKind(operation: String, found: JSONKind)
        /// An index of a list is not a number, or is outside of it.
        case badIndex(String, count: Int)
        /// A sum is beyond what a number can hold.
        case overflow
        /// The delta of a string or list does not fit.
        case delta(DeltaError)
        /// The text that a list delta gives is not a list.
        case notAList(JSONError)
    }

    /// Where in the object.
    public var path: JSONPath
    /// What is wrong.
    public var reason: Reason

    /// An error with these values.
    public init(_ reason: Reason, at path: JSONPath) {
        self.reason = reason
        self.path = path
    }
}

extension DiffError: CustomStringConvertible {
    /// The same as text.
    public var description: String { path.isEmpty ? "\(reason)" : "\(path): \(reason)" }
}

extension DiffError.Reason: CustomStringConvertible {
    /// The same as text.
    public var description: String {
        switch self {
        case .notAMap: "not a map of operations"
        case .notAnOperation: "not an operation"
        case .unknownOperation(let name): "unknown operation \(Excerpt.quote(name))"
        case .badValue(let operation): "the value of \(operation) is missing or of the wrong kind"
        case .nothingThere(let operation): "\(operation) of something that does not exist"
        case .wrongKind(let operation, let found): "\(operation) of a \(found)"
        case .badIndex(let index, let count):
            "no index \(Excerpt.quote(index)) in a list of \(count)"
        case .overflow: "the sum is too large"
        case .delta(let error): error.description
        case .notAList(let error): "the result of the list delta is not a list: \(error)"
        }
    }
}
