internal import Notation
internal import OpenRosa
internal import Wire

extension CaseState {
    /// The case as the state file has it.
    var json: JSONValue {
        var members: [JSONObject.Member] = [.init("id", .string(id))]
        func add(_ key: String, _ value: String?) {
            if let value { members.append(.init(key, .string(value))) }
        }
        add("type", caseType)
        add("name", name)
        add("owner", ownerID)
        add("external", externalID)
        add("user", userID)
        add("opened", dateOpened)
        add("modified", dateModified)
        if isClosed { members.append(.init("closed", .bool(true))) }
        func add(_ key: String, _ entries: [(key: ExactText, value: JSONValue)]) {
            guard !entries.isEmpty else { return }
            let sorted = entries.sorted { $0.key.string < $1.key.string }
            members.append(
                .init(key, .object(JSONObject(sorted.map { .init($0.key.string, $0.value) }))))
        }
        func list(_ values: [String?]) -> JSONValue {
            .array(values.map { $0.map { .string($0) } ?? .null })
        }
        add("properties", properties.map { ($0.key, .string($0.value)) })
        add(
            "indices",
            indices.map {
                ($0.key, list([$0.value.target, $0.value.relationship, $0.value.caseType]))
            })
        add("attachments", attachments.map { ($0.key, list([$0.value.source, $0.value.from])) })
        return .object(JSONObject(members))
    }

    /// What a device log needs of the case: its owner, what it refers to, whether it is closed.
    var outline: CaseState {
        var state = CaseState(id: id)
        state.ownerID = ownerID
        state.indices = indices
        state.isClosed = isClosed
        return state
    }

    /// The case that the state file has; nil where it is none.
    init?(json: JSONValue) {
        guard let id = json["id"]?.string, !id.isEmpty else { return nil }
        self.init(id: id)
        caseType = json["type"]?.string
        name = json["name"]?.string
        ownerID = json["owner"]?.string
        externalID = json["external"]?.string
        userID = json["user"]?.string
        dateOpened = json["opened"]?.string
        dateModified = json["modified"]?.string
        if case .bool(true) = json["closed"] { isClosed = true }
        for member in Self.members(json["properties"]) {
            properties[member.key] = member.value.string
        }
        for member in Self.members(json["indices"]) {
            let texts = Self.texts(member.value)
            guard texts.count == 3, let target = texts[0] else { continue }
            indices[member.key] = Index(
                target: target, relationship: texts[1] ?? Index.child, caseType: texts[2])
        }
        for member in Self.members(json["attachments"]) {
            let texts = Self.texts(member.value)
            guard texts.count == 2 else { continue }
            attachments[member.key] = Attachment(source: texts[0], from: texts[1])
        }
    }

    private static func members(_ value: JSONValue?) -> [JSONObject.Member] {
        guard case .object(let object) = value else { return [] }
        return object.members
    }

    private static func texts(_ value: JSONValue) -> [String?] {
        guard case .array(let elements) = value else { return [] }
        return elements.map(\.string)
    }
}
