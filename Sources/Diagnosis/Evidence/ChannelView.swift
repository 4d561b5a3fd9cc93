import Simperium
public import Wire

/// A channel of a Simperium socket, as the client knows it.
public struct ChannelView: Hashable, Sendable {
    /// The outcome of the `init`.
    public enum Phase: Hashable, Sendable {
        /// No answer yet.
        case opening
        /// The server accepted it, at this time.
        case open(since: Instant)
        /// The server refused it, at this time.
        case refused(code: Int?, since: Instant)
    }

    /// The number.
    public let number: Int
    /// Name of the bucket; empty where the `init` had none.
    public let bucket: String
    /// Identifier of the application, if the `init` had one.
    public let app: String?
    /// Identifier of the client, if the `init` had one.
    public let clientID: String?
    /// The token of the `init`; a secret, to be compared and never quoted.
    public let token: String?
    /// When the `init` was sent.
    public let openedAt: Instant
    /// Its outcome.
    public private(set) var phase = Phase.opening

    init(_ number: Int, _ request: InitRequest, at: Instant) {
        self.number = number
        bucket = request.bucket ?? ""
        app = request.app
        clientID = request.clientID
        token = request.token
        openedAt = at
    }

    mutating func take(_ reply: AuthReply, at: Instant) {
        switch reply {
        case .accepted: phase = .open(since: at)
        case .refused(let code, _): phase = .refused(code: code, since: at)
        case .expired: phase = .refused(code: nil, since: at)
        }
    }
}
