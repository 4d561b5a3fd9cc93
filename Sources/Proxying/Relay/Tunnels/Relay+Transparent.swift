import Framing
import Wire

/// Clients whose connection to a server was redirected, and who know of no proxy.
extension Relay {
    /// Whether the client's connection is to be one to its server, with nothing before or around it.
    var isTransparent: Bool { settings.mode == .transparent }

    /// The server is known that the client connected to: it is connected to at once, since it may be
    /// the one that speaks first.
    mutating func redirected(
        to server: ServerAddress, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard case .start = phase, fixed == nil else { return }
        if isOwn(server.host) {
            isOwnSite = true
            return
        }
        openTunnel(server, at, &commands)
    }

    /// Its server cannot be reached: a client of HTTP gets a 502 as soon as it speaks, and another one is
    /// reset.
    mutating func keepUnreachable(
        _ text: String, _ refusal: Refusal?, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        unreachable = Refusal(
            status: refusal?.status ?? 502, phrase: refusal?.phrase ?? "Bad Gateway", detail: text)
        phase = .start
        drain(at, &commands)
    }
}
