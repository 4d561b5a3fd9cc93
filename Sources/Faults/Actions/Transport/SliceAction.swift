import Filters
import Wire

extension ActionSpecification {
    /// The action `slice`.
    static let slice = ActionSpecification(
        .slice,
        [
            Parameter(
                "size", .size, positional: true, required: true, range: 1...(.max),
                "Bytes that are forwarded at a time."),
            Parameter(
                "pause", .duration, range: 0...3_600_000_000_000,
                "Pause after each slice; default: 0."),
            .direction,
        ],
        .anywhere, "Forwards bytes in small slices from here on.",
        example: "=> slice 1 pause=5ms",
        effect: { _ in .delayed },
        recovery: ActionRecovery(
            exchange: .exchangeItself, targetStays: true, ownMessageCounts: true),
        isFireable: true)
}
