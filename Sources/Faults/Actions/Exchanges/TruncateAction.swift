import Filters
import Wire

extension ActionSpecification {
    /// The action `truncate`.
    static let truncate = ActionSpecification(
        .truncate,
        [
            Parameter(
                "at", .size, positional: true, required: true, range: 0...(.max),
                "Bytes of the body that are still sent.")
        ],
        .response,
        "Closes the connection in the middle of the body of a response.",
        example: "api:commcare.restore => truncate 10KiB first=1",
        effect: { _ in [.altered, .ended] },
        recovery: ActionRecovery())
}
