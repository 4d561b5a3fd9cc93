import Filters
import Wire

extension ActionSpecification {
    /// The action `entity-unknown`.
    static let entityUnknown = ActionSpecification(
        .entityUnknown, [], [.command], implied: "command:e sender:client",
        "Answers the client's e with a question mark, as for a version that no longer exists.",
        example: "command:e => entity-unknown nth=2",
        effect: { _ in .answered },
        recovery: ActionRecovery(command: .missingEntity, mayBeTakenBack: true))
}
