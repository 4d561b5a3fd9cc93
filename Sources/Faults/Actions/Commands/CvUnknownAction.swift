import Filters
import Wire

extension ActionSpecification {
    /// The action `cv-unknown`.
    static let cvUnknown = ActionSpecification(
        .cvUnknown, [], [.command], implied: "command:cv sender:client",
        "Answers the client's cv with cv:?, as for a change version that has expired; of one in the "
            + "cmd of an init the server's answer is replaced.",
        example: "command:cv => cv-unknown first=1",
        effect: { $0.sender == .server ? $0.hasTaken ? .altered : .injected : .answered },
        recovery: ActionRecovery(command: .index))
}
