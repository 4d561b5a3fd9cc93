import Filters
import Wire

extension ActionSpecification {
    /// The action `close-code`.
    static let closeCode = ActionSpecification(
        .closeCode,
        [
            Parameter(
                "code", .integer, positional: true, required: true, range: 0...65_535,
                "The close code."),
            Parameter("reason", .text, "The reason; default: none."),
            Parameter(
                "to", .text, values: ["client", "server", "both"],
                "Who gets the close message; default: both."),
        ],
        [.command, .message], "Ends a WebSocket with a close message.",
        example: "command:c sender:client => close-code 1012 reason=\"service restart\" nth=2",
        effect: { $0.hasTaken ? [.lost, .injected, .ended] : [.injected, .ended] },
        recovery: .reconnection,
        isFireable: true)
}
