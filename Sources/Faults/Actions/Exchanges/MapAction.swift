import Filters
import Framing
import Wire

extension ActionSpecification {
    /// The action `map`.
    static let map = ActionSpecification(
        .map,
        [
            Parameter(
                "value", .text, positional: true, required: true,
                "Scheme, host and port of the other server, as a URL; the path is that of the request."
            )
        ],
        [.requestHead, .requestBody],
        "Sends a request to another server: Host and Origin name that one, and Location and cookies of "
            + "the answer the one that the client asked.",
        example: "path:/api/* => map https://staging.example",
        effect: { _ in .altered },
        recovery: ActionRecovery(exchange: .exchangeItself, targetStays: true),
        purpose: .edit,
        problem: { action in
            let url = action.text("value") ?? ""
            guard GateContext.Server(url: url) == nil else { return nil }
            return "\(url) is no server, such as https://staging.example or http://127.0.0.1:8080"
        },
        side: { _ in .client })
}

extension GateContext.Server {
    /// The server that an `http://` or `https://` URL without a path names; nil for another text.
    init?(url: String) {
        guard let server = HTTPTarget.server(of: url) else { return nil }
        self.init(host: server.host, port: server.port, isTLS: server.isTLS)
    }
}
