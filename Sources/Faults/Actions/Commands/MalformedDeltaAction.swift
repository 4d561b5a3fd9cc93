import Filters
import Wire

extension ActionSpecification {
    /// The action `malformed-delta`.
    static let malformedDelta = ActionSpecification(
        .malformedDelta, [], [.command], implied: "command:c sender:server",
        "Corrupts the string delta of a change so that it does not apply to the text.",
        example: "command:c => malformed-delta nth=2",
        effect: { _ in .altered },
        recovery: ActionRecovery())
}
