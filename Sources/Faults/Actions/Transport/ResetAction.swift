import Filters
import Wire

extension ActionSpecification {
    /// The action `reset`.
    static let reset = ActionSpecification(
        .reset, [], .anywhere, "Resets the connection (RST).",
        example: "api:commcare.submit => reset probability=0.2",
        effect: { $0.hasTaken ? [.lost, .ended] : .ended },
        recovery: .reconnection,
        isFireable: true)
}
