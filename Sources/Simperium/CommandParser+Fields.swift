import Notation
import Wire

extension CommandParser {
    /// Takes a member's value, the last where there are several.
    mutating func take(
        _ slot: inout JSONDocument.Node?, _ member: JSONDocument.Member, _ field: String
    ) {
        if slot != nil { note(.duplicateKey, field, at: member.key.range.lowerBound) }
        slot = member.value
    }

    /// Takes the place of a member's value, the last where there are several.
    mutating func take(_ slot: inout Int?, _ place: Int, _ field: String, _ key: Range<Int>) {
        if slot != nil { note(.duplicateKey, field, at: key.lowerBound) }
        slot = place
    }

    /// A string, or the text of a number; nil for null and where it is missing.
    mutating func text(_ node: JSONDocument.Node?, _ field: String) -> String? {
        guard let node, !node.isNull else { return nil }
        if node.hasLoneSurrogate { note(.loneSurrogate, field, at: node.range.lowerBound) }
        if let text = node.string { return text }
        guard let number = node.number else {
            note(.notText, field, at: node.range.lowerBound)
            return nil
        }
        note(.numberAsText, field, at: node.range.lowerBound)
        return number
    }

    /// A version of an object, as a number or as a string of digits.
    mutating func version(_ node: JSONDocument.Node?, _ field: String) -> Int64? {
        guard let node, !node.isNull else { return nil }
        if let version = node.int { return version }
        guard let text = node.string, let version = Int64(text) else {
            note(.versionUnreadable, field, at: node.range.lowerBound)
            return nil
        }
        note(.versionAsString, field, at: node.range.lowerBound)
        return version
    }

    /// An error code, as a number or as a string of digits.
    mutating func errorCode(_ node: JSONDocument.Node?) -> Int? {
        guard let node, !node.isNull else { return nil }
        if let code = node.int.flatMap({ Int(exactly: $0) }) {
            checkError(code, at: node.range.lowerBound)
            return code
        }
        guard let text = node.string, let code = Int(text) else {
            note(.errorUnreadable, at: node.range.lowerBound)
            return nil
        }
        checkError(code, at: node.range.lowerBound)
        note(.errorAsString, at: node.range.lowerBound)
        return code
    }

    /// A whole number; nil for null and where it is missing.
    mutating func whole(_ node: JSONDocument.Node?, _ field: String) -> Int? {
        guard let node, !node.isNull else { return nil }
        if let number = node.int.flatMap({ Int(exactly: $0) }) { return number }
        note(.notNumber, field, at: node.range.lowerBound)
        return nil
    }

    /// `true` or `false`; nil for null and where it is missing.
    mutating func boolean(_ node: JSONDocument.Node?, _ field: String) -> Bool? {
        guard let node, !node.isNull else { return nil }
        if let value = node.bool { return value }
        note(.notBoolean, field, at: node.range.lowerBound)
        return nil
    }

    /// Notes an error code that is neither of a change nor of an `auth`.
    mutating func checkError(_ code: Int, at offset: Int) {
        switch code {
        case 400, 401, 404, 405, 409, 412, 413, 417, 440, 500..<600: break
        default: note(.errorUnknown, at: offset)
        }
    }
}
