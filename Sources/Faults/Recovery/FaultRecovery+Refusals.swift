import Simperium
import Wire

/// What shows that a client got over the refusal of a change.
extension FaultRecovery {
    /// Begins the case of a change that was refused with a code.
    mutating func refused(_ index: Int, _ context: CommandContext) {
        let code = cases[index].action?.integer("code") ?? 500
        let isForwarded = cases[index].action?.flag("forwarded") == true
        let client = context.client
        guard let change = context.changes.first else {
            return wait(index, for: .anyCommand(client))
        }
        cases[index].ccids = change.ccids
        if (500...599).contains(code) { cases[index].patience = .pause }
        if !isForwarded, code == 409 || code == 412 {
            return falselyKnown(index, change, context)
        }
        if let key = change.key {
            wait(
                index, for: .ownChange(client, bucket: context.bucket, key: key), counting: true)
        }
        switch code {
        case 401:
            // With a new token the same change is sent again; or the user may not change this.
            wait(index, for: .anyCommand(client))
            for ccid in change.ccids {
                wait(index, for: .ccid(client, ccid))
                wait(index, for: .changeSent(client, ccid))
            }
        case 400, 409, 412, 413:
            // These require that it is not sent again.
            wait(index, for: .anyCommand(client))
            for ccid in change.ccids { wait(index, for: .changeSent(client, ccid)) }
        default:
            for ccid in change.ccids { wait(index, for: .ccid(client, ccid)) }
        }
    }

    /// An answer claimed that the server has the change (409) or its result (412), and the server
    /// was not given it.
    ///
    /// The client is to stop sending it, and after 409 to request what the server has, so that
    /// going on shows nothing: the edit is safe where the server has it from before, or shows it, or
    /// gets it by another change. Source: Simperium/Specification.md#errors.
    private mutating func falselyKnown(
        _ index: Int, _ change: SimperiumChange<Range<Int>>, _ context: CommandContext
    ) {
        let client = context.client
        cases[index].edit = SoughtEdit(change, in: cases[index].fault.came)
        for ccid in change.ccids {
            wait(index, for: .ccid(client, ccid))
            wait(index, for: .changeSent(client, ccid))
        }
        if let key = change.key {
            wait(index, for: .edited(client, bucket: context.bucket, key: key), counting: true)
            wait(index, for: .content(client, bucket: context.bucket, key: key))
        }
        guard let command = change.ccids.compactMap({ accepted[$0] }).first else { return }
        conclude(
            index,
            Evidence(
                at: cases[index].fault.row.at,
                how: "the server had accepted it before, in command c\(command)",
                command: command
            ).tentatively)
    }
}
