import Filters
import Wire

extension ActionSpecification {
    /// The action `half-close`.
    static let halfClose = ActionSpecification(
        .halfClose,
        [
            Parameter(
                "sender", .text, values: ["client", "server"],
                "Which side appears to have closed; default: the server.")
        ],
        .anywhere, "Half-closes the connection: one side sees the end of the other's stream.",
        example: "api:commcare.restore => half-close sender=server",
        effect: { _ in [.stalled, .ended] },
        recovery: .reconnection,
        isFireable: true)
}
