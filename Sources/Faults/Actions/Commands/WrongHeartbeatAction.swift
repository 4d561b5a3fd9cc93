import Filters
import Wire

extension ActionSpecification {
    /// The action `wrong-heartbeat`.
    static let wrongHeartbeat = ActionSpecification(
        .wrongHeartbeat,
        [
            Parameter(
                "by", .integer, range: -1_000_000...1_000_000,
                "What is added to the correct number; default: 1.")
        ],
        [.command], implied: "command:h sender:server",
        "Answers a heartbeat with a wrong number.",
        example: "command:h => wrong-heartbeat by=5 every=2",
        effect: { $0.sender == .server ? .altered : .answered },
        recovery: ActionRecovery(command: .heartbeat))
}
