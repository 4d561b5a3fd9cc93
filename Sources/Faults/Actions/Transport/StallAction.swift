import Filters
import Wire

extension ActionSpecification {
    /// The action `stall`.
    static let stall = ActionSpecification(
        .stall,
        [.direction], .anywhere,
        "Forwards nothing from here on, and leaves the connection open.",
        example: "api:commcare.restore => stall sender=server nth=1",
        effect: { $0.hasTaken ? [.lost, .stalled] : .stalled },
        recovery: .reconnection,
        isFireable: true)
}
