import Filters
import Framing
import Notation
import OpenRosa

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
    case replace(LinearRegex, RegexReplacement)
    /// Puts a text in place of what a path leads to in XML.
    case xml(XMLPath, String)

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
            let regex = try Self.regex(place)
            self = .replace(regex, try Self.replacement(action.text("to") ?? "", for: regex))
        case .xml:
            do throws(XMLPath.Mistake) {
                self = .xml(try XMLPath(place), action.text("to") ?? "")
            } catch {
                throw EditProblem("\(place): \(error), such as //case[1]/@user_id")
            }
        case .header, .query, .path, .status, nil: return nil
        }
    }

    /// The regular expression that an argument writes.
    static func regex(_ text: String) throws(EditProblem) -> LinearRegex {
        do throws(RegexError) {
            return try LinearRegex(text)
        } catch {
            throw EditProblem("\(text) is no regular expression: \(error.description)")
        }
    }

    /// The text in place of the matches of a regular expression that an argument writes.
    static func replacement(
        _ text: String, for regex: LinearRegex
    ) throws(EditProblem) -> RegexReplacement {
        do throws(RegexReplacement.Mistake) {
            return try RegexReplacement(text, for: regex)
        } catch {
            throw EditProblem(error.description)
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
        case .xml(let path, let value):
            return try Self.formEdited(content, type) { document throws(EditProblem) in
                do throws(XMLPath.EditError) {
                    return try path.setting(value, in: document)
                } catch {
                    throw EditProblem(error.description)
                }
            }
        case .replace(let regex, let replacement):
            do throws(RegexSearch.TooLong) {
                return try replacement.applied(to: content)
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

    /// A document edited: of a submission in several parts the one with the form.
    private static func formEdited(
        _ content: [UInt8], _ type: String?,
        _ body: ([UInt8]) throws(EditProblem) -> [UInt8]
    ) throws(EditProblem) -> [UInt8] {
        guard let type, type.lowercased().hasPrefix("multipart/") else { return try body(content) }
        guard var parser = MultipartParser(contentType: type) else {
            throw EditProblem("the boundary of the parts is not in the Content-Type")
        }
        var events: [MultipartEvent] = []
        parser.consume(content.span, into: &events)
        parser.endOfStream(into: &events)
        var start: Int64?
        for event in events {
            switch event {
            case .part(let head, let offset):
                start = head.name == SubmissionPart.formName ? offset : nil
            case .partEnd(_, let end):
                guard let start else { continue }
                let range = Int(start)..<Int(end)
                return content[..<range.lowerBound] + (try body(Array(content[range])))
                    + content[range.upperBound...]
            default: continue
            }
        }
        throw EditProblem("no part is called \(SubmissionPart.formName)")
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
    case xml

    /// The part that an action names; nil for another action.
    init?(_ action: FaultAction) {
        guard action.kind == .edit, let name = action.text("what") else { return nil }
        self.init(rawValue: name)
    }

    /// Whether it is in the head of a message.
    var isOfHead: Bool {
        switch self {
        case .query, .header, .path, .status: true
        case .json, .jsonRemove, .form, .replace, .xml: false
        }
    }

    /// Whether the messages of a WebSocket have it.
    var isOfMessages: Bool {
        switch self {
        case .json, .jsonRemove, .replace, .xml: true
        case .form, .query, .header, .path, .status: false
        }
    }

    /// The only sender whose messages have it; nil where both do.
    var sender: String? {
        switch self {
        case .form, .query, .path: "client"
        case .status: "server"
        case .json, .jsonRemove, .header, .replace, .xml: nil
        }
    }

    /// Whether something stands in its place afterwards; nil where both is possible.
    var hasValue: Bool? {
        switch self {
        case .json, .form, .query, .header, .replace, .xml: true
        case .jsonRemove, .status: false
        case .path: nil
        }
    }
}
