/// A case as the server knows it.
struct StoredCase: Hashable, Sendable {
    let id: String
    var type = ""
    var name = ""
    var owner = ""
    var modified = ""
    var user = ""
    var properties: [CaseBlock.Property] = []
    var indices: [CaseBlock.Index] = []
    var isClosed = false
    /// The number of the form that changed it last; the first form of a domain has number 1.
    var form = 0

    /// A case that a block creates.
    init(id: String) { self.id = id }

    /// About how many bytes it takes.
    var weight: Int {
        properties.reduce(200) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    }

    /// Does what a block of a form says.
    ///
    /// `case_type`, `case_name` and `owner_id` are the case's own wherever they stand.
    mutating func apply(_ block: CaseBlock, form: Int) {
        self.form = form
        modified = block.modified
        if !block.user.isEmpty { user = block.user }
        for property in (block.create ?? []) + block.update {
            switch property.name {
            case "case_type": type = property.value
            case "case_name": name = property.value
            case "owner_id": owner = property.value
            default:
                if let place = properties.firstIndex(where: { $0.name == property.name }) {
                    properties[place].value = property.value
                } else {
                    properties.append(property)
                }
            }
        }
        if owner.isEmpty { owner = block.user }
        for index in block.indices {
            indices.removeAll { $0.name == index.name }
            if !index.target.isEmpty { indices.append(index) }
        }
        if block.closes { isClosed = true }
    }

    /// The case as a restore has it; a closed one is closed unless the device starts empty.
    func element(isFull: Bool) -> String {
        var text = "<case xmlns=\"http://commcarehq.org/case/transaction/v2\""
        text += " case_id=\"\(id.escapedForXML)\""
        text += " date_modified=\"\(modified.escapedForXML)\""
        text += " user_id=\"\(user.escapedForXML)\"><create>"
        text += "<case_type>\(type.escapedForXML)</case_type>"
        text += "<case_name>\(name.escapedForXML)</case_name>"
        text += "<owner_id>\(owner.escapedForXML)</owner_id></create><update>"
        for property in properties {
            text += "<\(property.name)>\(property.value.escapedForXML)</\(property.name)>"
        }
        text += "</update>"
        if !indices.isEmpty {
            text += "<index>"
            for index in indices {
                text += "<\(index.name) case_type=\"\(index.type.escapedForXML)\""
                text += " relationship=\"\(index.relationship.escapedForXML)\">"
                text += "\(index.target.escapedForXML)</\(index.name)>"
            }
            text += "</index>"
        }
        if isClosed, !isFull { text += "<close/>" }
        return text + "</case>"
    }
}
