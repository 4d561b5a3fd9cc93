import Filters
import Wire

extension ActionSpecification {
    /// The action `blackout`.
    static let blackout = ActionSpecification(
        .blackout,
        [
            Parameter(
                "for", .duration, positional: true, range: 1...86_400_000_000_000,
                "Duration; default: the time between from and to of the schedule.")
        ],
        .anywhere,
        "Forwards nothing for a time, in either direction; held bytes are "
            + "forwarded afterwards.",
        example: "=> blackout from=10s to=25s",
        effect: { _ in [.delayed, .stalled] },
        recovery: .survival,
        lastsForWindow: { $0.arguments["for"] == nil },
        isFireable: true)
}
