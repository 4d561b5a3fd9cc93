import Foundation
import Notation

/// A value as Foundation decodes it, to compare ours with.
enum JSONOracle: Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONOracle])
    case object([String: JSONOracle])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONOracle].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONOracle].self))
        }
    }

    static func decode(_ bytes: [UInt8]) -> JSONOracle? {
        try? JSONDecoder().decode(JSONOracle.self, from: Data(bytes))
    }

    func agrees(with node: JSONDocument.Node) -> Bool {
        switch self {
        case .null: return node.isNull
        case .bool(let value): return node.bool == value
        case .number(let value): return node.number.flatMap(Double.init) == value
        case .string(let text): return node.string.map { $0.utf8.elementsEqual(text.utf8) } ?? false
        case .array(let elements):
            let ours = Array(node.elements)
            return node.kind == .array && ours.count == elements.count
                && zip(elements, ours).allSatisfy { $0.agrees(with: $1) }
        case .object(let members):
            let ours = Array(node.members)
            return node.kind == .object && ours.count == members.count
                && ours.allSatisfy { member in
                    guard let key = member.key.string, let other = members[key] else {
                        return false
                    }
                    return other.agrees(with: member.value)
                }
        }
    }
}
