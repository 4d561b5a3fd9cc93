internal import Notation
internal import Wire

/// The JSON of a 406: what keeps the request from succeeding, for the user to act on.
///
/// Source: OpenRosa/Specification.md#code-406.
public struct ActionableMessage: Hashable, Sendable {
    /// Translation key, such as `user.deactivated`.
    public var error: String
    /// What is shown where no translation of ``error`` exists.
    public var defaultResponse: String

    /// Why a body is not an actionable message.
    public enum Problem: Error, Hashable, Sendable {
        /// Not a flat JSON object of strings; `offset` in bytes is where it stops being one.
        case notAnObjectOfStrings(offset: Int)
        /// The key is missing.
        case missing(key: String)
        /// More than 64 KiB, which no message for a user has.
        case tooLong
    }

    /// A message with these values.
    public init(error: String, defaultResponse: String) {
        self.error = error
        self.defaultResponse = defaultResponse
    }

    /// Reads a body.
    ///
    /// Members other than the two are skipped; of a repeated key the last counts.
    ///
    /// - Throws: ``Problem``, with the offset in bytes.
    public init(parsing bytes: borrowing Span<UInt8>) throws(Problem) {
        guard bytes.count <= 1 << 16 else { throw .tooLong }
        let members = try Self.members(bytes.withUnsafeBufferPointer { Array($0) })
        guard let error = members["error"] else { throw .missing(key: "error") }
        guard let text = members["default_response"] else {
            throw .missing(key: "default_response")
        }
        self.init(error: error, defaultResponse: text)
    }

    /// What to show a user.
    ///
    /// - Parameter translations: Texts by translation key, in the user's language.
    /// - Returns: The translation of ``error``, else ``defaultResponse``.
    public func message(translations: [String: String]) -> String {
        translations[error] ?? defaultResponse
    }

    /// The members of a flat JSON object of strings.
    private static func members(_ bytes: [UInt8]) throws(Problem) -> [String: String] {
        let root: JSONDocument.Node
        do throws(JSONError) {
            root = try JSONDocument.scan(bytes, limits: JSONLimits(depth: 1)).root
        } catch {
            throw .notAnObjectOfStrings(offset: offset(of: error, in: bytes))
        }
        guard root.kind == .object else {
            throw .notAnObjectOfStrings(offset: root.range.lowerBound)
        }
        var members: [String: String] = [:]
        for member in root.members {
            guard let key = member.key.string, let value = member.value.string else {
                throw .notAnObjectOfStrings(offset: member.value.range.lowerBound)
            }
            members[key] = value
        }
        return members
    }

    /// Where the bytes stop being JSON; of an escape, the scanner reports where it begins.
    private static func offset(of error: JSONError, in bytes: [UInt8]) -> Int {
        guard case .invalidEscape(let backslash) = error else { return error.offset }
        let letters = bytes[(backslash + 1)...]
        guard letters.first == UInt8(ascii: "u") else { return letters.startIndex }
        let digits = letters.dropFirst().prefix(4)
        return digits.firstIndex { !Character(Unicode.Scalar($0)).isHexDigit } ?? digits.endIndex
    }
}

extension ActionableMessage.Problem: CustomStringConvertible {
    /// The problem in words.
    public var description: String {
        switch self {
        case .notAnObjectOfStrings(let offset):
            "the body of the 406 is not a JSON object of texts, from byte \(offset) on"
        case .missing(let key): "the JSON of the 406 has no \"\(key)\""
        case .tooLong: "the body of the 406 has more than 64 KiB"
        }
    }
}
