import Filters
import Wire

extension ActionSpecification {
    /// The action `change-unknown`.
    static let changeUnknown = ActionSpecification(
        .changeUnknown, [], [.command], implied: "command:{cv,c} sender:client",
        "Answers the client's cv, or its change, with c:?, as older servers do for an unknown "
            + "change version.",
        example: "command:cv => change-unknown first=1",
        effect: { $0.sender == .server ? .injected : .answered },
        recovery: ActionRecovery(command: .index))
}
