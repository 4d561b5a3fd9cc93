import Filters
import Wire

extension ActionSpecification {
    /// The action `auth-failure`.
    static let authFailure = ActionSpecification(
        .authFailure,
        [
            Parameter(
                "code", .integer, positional: true, range: -1_000_000...1_000_000,
                "The code; default: 401."),
            Parameter(
                "message", .text, "The msg; default: that of the real server for the code."),
        ],
        [.command], implied: "command:init sender:client",
        "Answers the client's init with an authorisation failure.",
        example: "command:init => auth-failure 400 message=\"Token malformed\" first=1",
        effect: { $0.sender == .server ? .injected : .answered },
        recovery: ActionRecovery(command: .authorisation))
}
