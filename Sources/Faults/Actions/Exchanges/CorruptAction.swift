import Filters
import Wire

extension ActionSpecification {
    /// The action `corrupt`.
    static let corrupt = ActionSpecification(
        .corrupt,
        [
            Parameter(
                "at", .size, range: 0...(.max),
                "Offset in the body of the first byte that is changed; default: drawn from the "
                    + "seed within the first bytes."),
            Parameter(
                "count", .size, range: 1...1_048_576,
                "Bytes that are changed; default: 1."),
            .side,
        ],
        .exchange,
        "Changes bytes of a body; its length stays correct.",
        example: "path:/media/* => corrupt at=100 count=4",
        effect: { _ in .altered },
        recovery: ActionRecovery(),
        side: { $0.text("sender") == "client" ? .client : .server },
        isRandom: { $0.arguments["at"] == nil })
}
