import Filters
import Notation

/// Why an edit cannot be done.
struct EditProblem: Error, Hashable {
    /// The reason in words.
    let text: String

    init(_ text: String) { self.text = text }
}

/// A change of the content of a message by what it means.
enum ContentEdit {
    /// Puts a JSON text at a place.
    case json(JSONPointer, [UInt8])
    /// Removes what is at a place of a JSON text.
    case jsonRemove(JSONPointer)
    /// Sets a field of a form that is sent as a query is written.
    case form(String, String)
    /// Puts a text in place of each match of a regular expression.
    case replace(LinearRegex, String)

    /// The edit of content that an action `edit` makes; nil for one of a head.
    ///
    /// - Throws: ``EditProblem`` where its arguments are wrong.
    init?(_ action: FaultAction) throws(EditProblem) {
        let place = action.text("at") ?? ""
        switch EditedPart(action) {
        case .json:
            self = .json(try Self.pointer(place), Self.value(action.text("to") ?? ""))
        case .jsonRemove: self = .jsonRemove(try Self.pointer(place))
        case .form: self = .form(place, action.text("to") ?? "")
        case .replace:
            do throws(RegexError) {
                self = .replace(try LinearRegex(place), action.text("to") ?? "")
            } catch {
                throw EditProblem("\(place) is no regular expression: \(error.description)")
            }
        case .header, .query, .path, .status, nil: return nil
        }
    }

    private static func pointer(_ text: String) throws(EditProblem) -> JSONPointer {
        guard let pointer = JSONPointer(text) else {
            throw EditProblem("\(text) is no place in JSON, such as /notes/0/title")
        }
        return pointer
    }

    /// A text that is JSON is meant as such; everything else is a string.
    static func value(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let document = try? JSONDocument.scan(bytes) else {
            return Array(JSONString.quoted(text).utf8)
        }
        return Array(bytes[document.root.range])
    }

    /// `content` with the edit.
    ///
    /// - Throws: ``EditProblem`` where it cannot be done.
    func apply(to content: [UInt8], type: String?) throws(EditProblem) -> [UInt8] {
        switch self {
        case .json(let place, let value):
            return try Self.edited(content) { document throws(JSONDocument.EditError) in
                try document.setting(place, to: value)
            }
        case .jsonRemove(let place):
            return try Self.edited(content) { document throws(JSONDocument.EditError) in
                try document.removing(place)
            }
        case .form(let name, let value):
            let isForm = type?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
            guard isForm else {
                throw EditProblem(
                    "the body is no form of the type application/x-www-form-urlencoded")
            }
            return FormField.setting(name, value, in: content)
        case .replace(let regex, let text):
            do throws(RegexSearch.TooLong) {
                return try Self.replacing(regex, by: Array(text.utf8), in: content)
            } catch {
                throw EditProblem("the search for \(regex.pattern) takes too long in this body")
            }
        }
    }

    private static func edited(
        _ content: [UInt8],
        _ body: (JSONDocument) throws(JSONDocument.EditError) -> [UInt8]
    ) throws(EditProblem) -> [UInt8] {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument.scan(content)
        } catch {
            throw EditProblem("the body is not JSON: \(error)")
        }
        do throws(JSONDocument.EditError) {
            return try body(document)
        } catch {
            switch error {
            case .missing(let place): throw EditProblem("the JSON has nothing at \(place)")
            case .root: throw EditProblem("the whole JSON cannot be removed")
            }
        }
    }

    private static func replacing(
        _ regex: LinearRegex, by text: [UInt8], in content: [UInt8]
    ) throws(RegexSearch.TooLong) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        for range in try RegexSearch(regex).ranges(in: content) {
            result += content[place..<range.lowerBound] + text
            place = range.upperBound
        }
        return result + content[place...]
    }
}

/// What an action `edit` changes.
enum EditedPart: String, CaseIterable {
    case json
    case jsonRemove = "json-remove"
    case form
    case query
    case header
    case path
    case status
    case replace

    /// The part that an action names; nil for another action.
    init?(_ action: FaultAction) {
        guard action.kind == .edit, let name = action.text("what") else { return nil }
        self.init(rawValue: name)
    }

    /// Whether it is in the head of a message.
    var isOfHead: Bool {
        switch self {
        case .query, .header, .path, .status: true
        case .json, .jsonRemove, .form, .replace: false
        }
    }

    /// The only sender whose messages have it; nil where both do.
    var sender: String? {
        switch self {
        case .form, .query, .path: "client"
        case .status: "server"
        case .json, .jsonRemove, .header, .replace: nil
        }
    }

    /// Whether something stands in its place afterwards.
    var hasValue: Bool {
        switch self {
        case .json, .form, .query, .header, .replace: true
        case .jsonRemove, .path, .status: false
        }
    }
}
