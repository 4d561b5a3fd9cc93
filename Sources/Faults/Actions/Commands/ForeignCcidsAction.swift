import Filters
import Wire

extension ActionSpecification {
    /// The action `foreign-ccids`.
    static let foreignCcids = ActionSpecification(
        .foreignCcids, [], [.command], implied: "command:c sender:server",
        "Replaces the ccids of changes, so that an acknowledgement is about changes the client "
            + "never sent.",
        example: "command:c bucket:notes => foreign-ccids first=1",
        effect: { _ in .altered },
        recovery: ActionRecovery())
}
