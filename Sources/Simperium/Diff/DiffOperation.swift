import Notation
import Wire

/// One operation of a jsondiff: `{"o": NAME, "v": VALUE}`.
struct DiffOperation {
    /// The operations that are specified.
    enum Name: String, CaseIterable {
        /// Sets a key, or puts an element before an index.
        case insert = "+"
        case remove = "-"
        case replace = "r"
        /// Adds to a number.
        case increment = "I"
        /// Operations on the elements of an array.
        case list = "L"
        /// A delta over the lines of an array's text.
        case listText = "dL"
        /// Operations on the members of an object.
        case object = "O"
        /// A delta of a string.
        case text = "d"
    }

    let name: Name
    let value: JSONValue?

    init(_ operation: JSONValue, at path: JSONPath) throws(DiffError) {
        guard case .object(let object) = operation, case .string(let name)? = object["o"] else {
            throw DiffError(.notAnOperation, at: path)
        }
        guard let known = Name(rawValue: name) else {
            throw DiffError(.unknownOperation(name), at: path)
        }
        self.name = known
        value = object["v"]
    }

    func needValue(at path: JSONPath) throws(DiffError) -> JSONValue {
        guard let value else { throw DiffError(.badValue(operation: name.rawValue), at: path) }
        return value
    }

    func needText(at path: JSONPath) throws(DiffError) -> String {
        guard case .string(let text)? = value else {
            throw DiffError(.badValue(operation: name.rawValue), at: path)
        }
        return text
    }

    /// The operation as JSON.
    static func json(_ name: Name, _ value: JSONValue? = nil) -> JSONValue {
        var object = JSONObject([.init("o", .string(name.rawValue))])
        if let value { object.members.append(.init("v", value)) }
        return .object(object)
    }
}
