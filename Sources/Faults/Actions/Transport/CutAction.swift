import Filters
import Wire

extension ActionSpecification {
    /// The action `cut`.
    static let cut = ActionSpecification(
        .cut,
        [
            Parameter(
                "at", .size, positional: true, required: true, range: 0...(.max),
                "Bytes that are still forwarded, from here on."),
            Parameter(
                "how", .text, values: ["close", "reset"],
                "How the connection ends; default: close."),
            .direction,
        ],
        .anywhere, "Ends the connection after the given number of further bytes.",
        example: "=> cut 5000 how=reset sender=server",
        effect: { _ in [.stalled, .ended] },
        recovery: .reconnection,
        isFireable: true)
}
