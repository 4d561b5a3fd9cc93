import Filters
import Wire

extension ActionSpecification {
    /// The action `tls-failure`.
    static let tlsFailure = ActionSpecification(
        .tlsFailure, [], [.handshake], "Ends the client's TLS handshake with an alert.",
        example: "host:*.example => tls-failure first=1",
        effect: { _ in .refused },
        recovery: .reconnection,
        refusalToWait: { action, _ in whileOpening(action.kind) })
}
