internal import Notation
internal import OpenRosa
internal import Replaying

extension CommCareDomain {
    /// Takes what a recorded project had.
    ///
    /// Places in the order of all messages become numbers of forms: what changed after a restore has
    /// a higher one than that.
    ///
    /// - Parameters:
    ///   - project: The recorded project.
    ///   - users: Users of this server, by their recorded names.
    ///   - now: Seconds since 1970.
    /// - Returns: How many sync tokens are known.
    mutating func begin(
        with project: ServerHoldings.Project, users: [String: Accounts.User], now: Int64
    ) -> Int {
        // The last one has the number of now.
        count = max(count, project.now - project.forms.count)
        for form in project.forms { file(form.instanceID, form.fingerprint) }
        for refused in project.refusedForms {
            refusals[ExactText(refused.form.instanceID)] = (
                refused.form.fingerprint, refused.reason
            )
        }
        for state in project.cases {
            put(state, form: project.changed[ExactText(state.id)] ?? project.now)
        }
        for (key, quantity) in project.ledgers.balances {
            let change = project.ledgerChanges[key.entity]
            put(
                CommCareServer.Balance(
                    section: key.section.string, entry: key.entry.string, quantity: quantity),
                of: key.entity.string,
                LedgerMark(form: change?.at ?? project.now, date: change?.date ?? ""))
        }
        count = max(count, project.now)
        var kept = 0
        for restore in project.restores {
            let only = users.count == 1 ? users.values.first : nil
            guard let user = restore.user.flatMap({ users[$0] }) ?? only else { continue }
            _ = keep(
                DeviceLog(
                    id: restore.token, user: user.uuid, form: restore.at, created: now,
                    cases: restore.log))
            kept += 1
        }
        return kept
    }
}
