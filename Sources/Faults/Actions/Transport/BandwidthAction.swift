import Filters
import Wire

extension ActionSpecification {
    /// The action `bandwidth`.
    static let bandwidth = ActionSpecification(
        .bandwidth,
        [
            Parameter(
                "rate", .size, positional: true, required: true, range: 1...(.max),
                "Bytes per second, in each direction."),
            .direction,
        ],
        .anywhere, "Limits the bandwidth of the connection from here on.",
        example: "host:*.example => bandwidth 10KiB sender=server",
        effect: { _ in .delayed },
        recovery: ActionRecovery(
            exchange: .exchangeItself, targetStays: true, ownMessageCounts: true),
        isFireable: true)
}
