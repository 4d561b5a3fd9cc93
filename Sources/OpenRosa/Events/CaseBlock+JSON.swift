import Notation
import Wire

extension CaseBlock {
    /// Adds the members of a case block.
    func describe(into object: inout JSONObject) {
        object.put("version", version == .one ? 1 : 2)
        object.put("case_id", caseID)
        object.put("date_modified", dateModified)
        object.put("user_id", userID)
        if let create {
            var members = JSONObject()
            members.put("case_type", create.caseType)
            members.put("case_name", create.caseName)
            members.put("owner_id", create.ownerID)
            members.put("external_id", create.externalID)
            members.put("others", create.others)
            object.put("create", .object(members))
        }
        if let update { object.put("update", .list(update)) }
        if isClosed { object.put("close", .bool(true)) }
        if !indices.isEmpty {
            object.put(
                "index",
                .array(
                    indices.map {
                        var members = JSONObject(.string("name", $0.name))
                        members.put("case_type", $0.caseType)
                        members.put("relationship", $0.relationship)
                        members.put("target", $0.target)
                        return .object(members)
                    }))
        }
        if !attachments.isEmpty {
            object.put(
                "attachment",
                .array(
                    attachments.map {
                        var members = JSONObject(.string("name", $0.name))
                        members.put("src", $0.src)
                        members.put("from", $0.from)
                        return .object(members)
                    }))
        }
        object.cut(isCut)
    }
}

extension LedgerBlock {
    /// Adds the members of a balance or transfer.
    func describe(into object: inout JSONObject) {
        object.put("kind", kind.rawValue)
        object.put("entity_id", entityID)
        object.put("src", source)
        object.put("dest", destination)
        object.put("section_id", sectionID)
        object.put("date", date)
        object.put("type", type)
        object.put(
            "entries",
            .array(
                entries.map {
                    var members = JSONObject()
                    members.put("id", $0.id)
                    members.put("quantity", $0.quantity)
                    members.put("section_id", $0.sectionID)
                    return .object(members)
                }))
        object.cut(isCut)
    }
}
