public import Notation
import Wire

/// Events as JSON, for programs that read the output of `tapedeck openrosa parse`.
extension CommCareEvent {
    /// The event as a JSON object: `event`, `line`, `column`, `offset`, then its contents.
    ///
    /// Names are those of the documents in snake_case and stay the same. What is absent in the
    /// document has no member; texts and numbers of the document are strings, as sent. `cut` is
    /// there, and true, where ``CommCareBounds`` left something out.
    public func describedAsJSON() -> JSONValue {
        var object = JSONObject(JSONObject.Member.string("event", name))
        object.place(position)
        describe(into: &object)
        return .object(object)
    }

    /// Name of the kind of event.
    public var name: String {
        switch self {
        case .response: "response"
        case .message: "message"
        case .restoreID: "restore_id"
        case .progress: "progress"
        case .registration: "registration"
        case .schema: "schema"
        case .fixture: "fixture"
        case .caseBlock: "case"
        case .ledger: "ledger"
        case .form: "form"
        case .meta: "meta"
        case .file: "file"
        case .formList: "form_list"
        case .listedForm: "listed_form"
        case .manifest: "manifest"
        case .mediaFile: "media_file"
        case .other: "other"
        case .note: "note"
        case .end: "end"
        }
    }

    private func describe(into object: inout JSONObject) {
        switch self {
        case .response(let value):
            object.put("namespace", value.namespace)
            object.put("items", value.items)
            object.cut(value.isCut)
        case .message(let value):
            object.put("nature", value.nature)
            object.put("text", value.text)
            object.cut(value.isCut)
        case .restoreID(let value):
            object.put("restore_id", value.id)
            object.cut(value.isCut)
        case .progress(let value):
            object.put("done", value.done)
            object.put("total", value.total)
            object.put("retry_after", value.retryAfter)
            object.cut(value.isCut)
        case .registration(let value): value.describe(into: &object)
        case .schema(let value):
            object.put("id", value.id)
            object.put("indices", .array(value.indices.map { .string($0) }))
            object.cut(value.isCut)
        case .fixture(let value):
            object.put("id", value.id)
            object.put("user_id", value.userID)
            object.put("indexed", .bool(value.isIndexed))
            object.put("elements", value.elements)
            object.put("bytes", value.bytes)
            if let groups = value.groups {
                object.put("groups", .array(groups.map { .string($0) }))
            }
            object.cut(value.isCut)
        case .caseBlock(let value): value.describe(into: &object)
        case .ledger(let value): value.describe(into: &object)
        case .form(let value): value.describe(into: &object)
        case .meta(let value): value.describe(into: &object)
        case .file(let value):
            object.put("file", value.file)
            object.put("element", value.element)
        case .formList(let value), .manifest(let value): object.put("namespace", value.namespace)
        case .listedForm(let value): value.describe(into: &object)
        case .mediaFile(let value):
            object.put("filename", value.filename)
            object.put("hash", value.hash)
            object.put("download_url", value.downloadURL)
            object.put("others", value.others)
            object.cut(value.isCut)
        case .other(let value):
            object.put("name", value.name.local)
            object.put("namespace", value.name.namespace)
            object.put("elements", value.elements)
            object.put("bytes", value.bytes)
        case .note(let value):
            object.put("code", value.code)
            object.put("detail", value.detail)
        case .end(let value):
            object.put("kind", value.kind.rawValue)
            object.put("children", value.children)
        }
    }
}

extension XMLError {
    /// The error as a JSON object: `event` is `error`, then `line`, `column`, `offset` and `says`.
    public func describedAsJSON() -> JSONValue {
        var object = JSONObject(JSONObject.Member.string("event", "error"))
        object.place(position)
        object.put("detail", reason.description)
        return .object(object)
    }
}
