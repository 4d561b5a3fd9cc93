import Filters
import Wire

extension ActionSpecification {
    /// The action `latency`.
    static let latency = ActionSpecification(
        .latency,
        [
            Parameter(
                "by", .duration, positional: true, required: true,
                range: 0...86_400_000_000_000, "How much later it is forwarded."),
            Parameter(
                "jitter", .duration, range: 0...86_400_000_000_000,
                "By how much more or less, drawn uniformly; default: 0."),
            Parameter(
                "sender", .text, values: ["client", "server"],
                "Whose bytes: of a connection, client or server (default: both); of an "
                    + "exchange, client delays the request and server the response."),
        ],
        .anywhere,
        "Delays a request, response, command or message, or everything on a connection.",
        example: "host:*.example => latency 300ms jitter=50ms",
        effect: { _ in .delayed },
        recovery: ActionRecovery(
            exchange: .exchangeItself, targetStays: true, ownMessageCounts: true),
        side: { action in
            action.text("sender").map { $0 == "client" ? .client : .server }
        },
        isRandom: { $0.duration("jitter") ?? 0 > 0 },
        isFireable: true)
}
