import Notation
internal import OpenRosa
internal import Wire

/// Cases and ledgers as a restore has them.
enum CaseElement {
    /// A case, with its closing where it is closed.
    static func text(_ state: CaseState) -> String {
        var text = "<case xmlns=\"http://commcarehq.org/case/transaction/v2\""
        text += " case_id=\"\(state.id.escapedForXML)\""
        text += " date_modified=\"\((state.dateModified ?? "").escapedForXML)\""
        text += " user_id=\"\((state.userID ?? "").escapedForXML)\"><create>"
        text += "<case_type>\((state.caseType ?? "").escapedForXML)</case_type>"
        text += "<case_name>\((state.name ?? "").escapedForXML)</case_name>"
        text += "<owner_id>\((state.ownerID ?? "").escapedForXML)</owner_id></create><update>"
        if let id = state.externalID { text += "<external_id>\(id.escapedForXML)</external_id>" }
        if let date = state.dateOpened {
            text += "<date_opened>\(date.escapedForXML)</date_opened>"
        }
        text += properties(state) + "</update>"
        if !state.indices.isEmpty {
            text += "<index>"
            for (name, index) in state.indices.sorted(by: { $0.key.string < $1.key.string }) {
                text += "<\(name) case_type=\"\((index.caseType ?? "").escapedForXML)\""
                text += " relationship=\"\(index.relationship.escapedForXML)\">"
                text += "\(index.target.escapedForXML)</\(name)>"
            }
            text += "</index>"
        }
        if state.isClosed { text += "<close/>" }
        return text + "</case>"
    }

    /// A case as version 1.0 has it: without indices, which came with 2.0.
    static func oldText(_ state: CaseState) -> String {
        var text = "<case><case_id>\(state.id.escapedForXML)</case_id>"
        text += "<date_modified>\((state.dateModified ?? "").escapedForXML)</date_modified>"
        text += "<create><case_type_id>\((state.caseType ?? "").escapedForXML)</case_type_id>"
        text += "<user_id>\((state.userID ?? "").escapedForXML)</user_id>"
        text += "<case_name>\((state.name ?? "").escapedForXML)</case_name>"
        text += "<external_id>\((state.externalID ?? "").escapedForXML)</external_id></create>"
        text += "<update><owner_id>\((state.ownerID ?? "").escapedForXML)</owner_id>"
        if let date = state.dateOpened {
            text += "<date_opened>\(date.escapedForXML)</date_opened>"
        }
        text += properties(state) + "</update>"
        if state.isClosed { text += "<close/>" }
        return text + "</case>"
    }

    /// A case as a search finds it.
    static func found(_ state: CaseState) -> String {
        var text = "<case case_id=\"\(state.id.escapedForXML)\""
        text += " case_type=\"\((state.caseType ?? "").escapedForXML)\""
        text += " owner_id=\"\((state.ownerID ?? "").escapedForXML)\""
        text += " status=\"\(state.isClosed ? "closed" : "open")\">"
        text += "<case_name>\((state.name ?? "").escapedForXML)</case_name>"
        text += "<last_modified>\((state.dateModified ?? "").escapedForXML)</last_modified>"
        if let id = state.externalID { text += "<external_id>\(id.escapedForXML)</external_id>" }
        return text + properties(state) + "</case>"
    }

    /// The balances of one section of a case's ledger.
    static func balance(
        _ entity: String, _ section: String, _ date: String, _ entries: [(id: String, count: Int64)]
    ) -> String {
        var text = "<n0:balance xmlns:n0=\"http://commcarehq.org/ledger/v1\""
        text += " date=\"\(date.escapedForXML)\" entity-id=\"\(entity.escapedForXML)\""
        text += " section-id=\"\(section.escapedForXML)\">"
        for entry in entries {
            text += "<n0:entry id=\"\(entry.id.escapedForXML)\" quantity=\"\(entry.count)\"/>"
        }
        return text + "</n0:balance>"
    }

    private static func properties(_ state: CaseState) -> String {
        var text = ""
        for (name, value) in state.properties.sorted(by: { $0.key.string < $1.key.string }) {
            text += "<\(name)>\(value.escapedForXML)</\(name)>"
        }
        return text
    }
}
