import Filters
import Wire

extension ActionSpecification {
    /// The action `expired-certificate`.
    static let expiredCertificate = ActionSpecification(
        .expiredCertificate, [], [.handshake],
        "Shows the client a certificate that has expired.",
        example: "host:*.example => expired-certificate",
        effect: { _ in .refused },
        recovery: .reconnection,
        refusalToWait: { action, _ in whileOpening(action.kind) })
}
