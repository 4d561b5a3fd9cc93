import Filters
import Wire

extension ActionSpecification {
    /// The action `cv-unknown`.
    static let cvUnknown = ActionSpecification(
        .cvUnknown, [], [.command], implied: "command:cv sender:client",
        "Answers the client's cv, also one in the cmd of an init, with cv:?, as for a change version "
            + "that has expired.",
        example: "command:cv => cv-unknown first=1",
        effect: { $0.sender == .server ? .injected : .answered },
        recovery: ActionRecovery(command: .index))
}
