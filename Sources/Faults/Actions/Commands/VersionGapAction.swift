import Filters
import Wire

extension ActionSpecification {
    /// The action `version-gap`.
    static let versionGap = ActionSpecification(
        .versionGap,
        [
            Parameter(
                "by", .integer, range: 1...1_000_000,
                "By how much sv and ev are increased; default: 1.")
        ],
        [.command], implied: "command:c sender:server",
        "Increases the versions of changes, so that sv is not the client's version.",
        example: "command:c key:a1 => version-gap by=2 nth=1",
        effect: { _ in .altered },
        recovery: ActionRecovery())
}
