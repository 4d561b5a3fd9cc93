internal import Notation
internal import OpenRosa
internal import Wire

extension RestoreMaking {
    /// Writes a little of the document.
    mutating func write(_ budget: inout Int) {
        guard !body.isFull else { return body.settle(&budget) }
        switch stage {
        case .head:
            body.append(head, &budget)
            moveOn()
        case .groups:
            guard cursor < groups.elements.count else {
                if cursor > 0 { body.append("</groups></fixture>", &budget) }
                return moveOn()
            }
            budget -= 1
            if cursor == 0 {
                let uuid = occasion.user.uuid.escapedForXML
                body.append(
                    "<fixture id=\"user-groups\" user_id=\"\(uuid)\"><groups>", &budget)
            }
            let group = groups.elements[cursor].escapedForXML
            body.append("<group id=\"\(group)\"><name>\(group)</name></group>", &budget)
            cursor += 1
        case .cases:
            guard cursor < cases.elements.count else { return moveOn() }
            budget -= 10
            let state = footprint.states[cases.elements[cursor].node]
            body.append(
                occasion.order.isVersion1 ? CaseElement.oldText(state) : CaseElement.text(state),
                &budget)
            cursor += 1
        case .ledgers:
            guard cursor < ledgers.elements.count else { return moveOn() }
            budget -= 10
            write(ledgers.elements[cursor], &budget)
            cursor += 1
        case .end:
            body.append("</OpenRosaResponse>", &budget)
            if body.isFull { body.settle(&budget) }
            body.finish(&budget)
            moveOn()
        case .forget:
            guard footprint.dwindle(&budget) else { return }
            footprint = CaseLiveness(owners: nil, count: 0)
            moveOn()
        case .join: if body.join(&budget) { moveOn() }
        default: moveOn()
        }
    }

    /// The document up to the groups.
    private var head: String {
        let user = occasion.user
        let order = occasion.order
        let name = user.name.escapedForXML
        let hasGroups = !groups.elements.isEmpty
        let count = 3 + (hasGroups ? 1 : 0) + cases.elements.count + sections
        return "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\""
            + (order.hasItems ? " items=\"\(count)\"" : "") + ">"
            + "<message nature=\"ota_restore_success\">"
            + "Successfully restored account \(name)!</message>"
            + "<Sync xmlns=\"http://commcarehq.org/sync\">"
            + "<restore_id>\(occasion.id)</restore_id></Sync>"
            + "<Registration xmlns=\"http://openrosa.org/user/registration\">"
            + "<username>\(name)</username><password>sha1$tapedeck$"
            + "\(String(repeating: "0", count: 40))</password>"
            + "<uuid>\(user.uuid.escapedForXML)</uuid>"
            + "<date>\(Timestamp(unixSeconds: occasion.now).dayText)</date>"
            + "<user_data><data key=\"commcare_project\">\(order.domain.escapedForXML)</data>"
            + "</user_data></Registration>"
    }

    private mutating func write(_ ledger: LedgerChoice, _ budget: inout Int) {
        for (section, entries) in Dictionary(grouping: ledger.balances, by: \.section)
            .sorted(by: { $0.key < $1.key })
        {
            body.append(
                CaseElement.balance(
                    ledger.entity.string, section, ledger.mark.date,
                    entries.map { ($0.entry, $0.quantity) }), &budget)
        }
    }
}
