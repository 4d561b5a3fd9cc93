import Filters
import Wire

extension ActionSpecification {
    /// The action `auth-expired`.
    static let authExpired = ActionSpecification(
        .authExpired, [], [.command], implied: "command:init sender:client",
        "Answers the client's init with auth:expired and then the failure as JSON, as servers "
            + "do for api 1.0.",
        example: "command:init => auth-expired first=1",
        effect: { $0.sender == .server ? .injected : .answered },
        recovery: ActionRecovery(command: .authorisation))
}
