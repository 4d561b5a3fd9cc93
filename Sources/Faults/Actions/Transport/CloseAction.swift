import Filters
import Wire

extension ActionSpecification {
    /// The action `close`.
    static let close = ActionSpecification(
        .close, [], .anywhere, "Closes the connection in order.",
        example: "command:c sender:client => close nth=5",
        effect: { $0.hasTaken ? [.lost, .ended] : .ended },
        recovery: .reconnection,
        isFireable: true)
}
