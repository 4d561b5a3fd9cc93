import Filters
import Wire

extension ActionSpecification {
    /// The action `refuse`.
    static let refuse = ActionSpecification(
        .refuse, [], [.connection, .handshake],
        "Refuses the connection, or the tunnel that the client requests.",
        example: "=> refuse first=2",
        effect: { _ in .refused },
        recovery: .reconnection,
        refusalToWait: { action, phase in
            phase == .handshake ? whileOpening(action.kind) : nil
        })
}
