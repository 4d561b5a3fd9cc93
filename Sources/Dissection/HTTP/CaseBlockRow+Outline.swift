import Notation
import OpenRosa
import Wire

extension CaseBlockRow {
    /// The row of a case block.
    init(
        _ outline: CaseOutline, _ exchange: ExchangeID, _ sender: Peer, part: Int?, position: Int
    ) {
        self.init(
            exchange: exchange, sender: sender, part: part, position: position,
            caseID: outline.caseID,
            action: outline.actions.map(\.rawValue).joined(separator: " "))
        caseType = outline.caseType
        caseName = outline.caseName
        ownerID = outline.ownerID
        userID = outline.userID
        dateModified = outline.dateModified
        indices = outline.indices.isEmpty ? nil : Self.json(outline.indices)
        properties = outline.properties.isEmpty ? nil : Self.json(outline.properties)
    }

    /// The last of each name, since a later one replaces it; there may be thousands.
    private static func json(_ properties: [CaseBlock.Property]) -> String {
        var names: Set<ExactText> = []
        let last = properties.reversed().filter { names.insert(ExactText($0.name)).inserted }
        return JSONValue.object(
            JSONObject(last.reversed().map { JSONObject.Member($0.name, .string($0.value)) })
        ).text()
    }

    /// The last of each name, since a later one replaces it.
    private static func json(_ indices: [CaseBlock.Index]) -> String {
        var object = JSONObject()
        for index in indices {
            let name = ExactText(index.name)
            object.members.removeAll { $0.key == name }
            object.members.append(JSONObject.Member(index.name, value(of: index)))
        }
        return JSONValue.object(object).text()
    }

    private static func value(of index: CaseBlock.Index) -> JSONValue {
        guard !index.target.isEmpty else { return .null }
        return .object(
            JSONObject([
                .init("case_type", index.caseType.map(JSONValue.string) ?? .null),
                .init("relationship", .string(index.relationship ?? CaseState.Index.child)),
                .init("target", .string(index.target)),
            ]))
    }
}
