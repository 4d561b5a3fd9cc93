/// An exchange as each side had it.
public struct ExchangeSides: Hashable, Sendable {
    /// A response.
    public struct Response: Hashable, Sendable {
        /// Its status.
        public var status: Int
        /// Header fields and body.
        public var message: ReplayMessage
        /// Whether all of the body is there.
        public var isWhole: Bool

        /// A response with these values.
        public init(status: Int, message: ReplayMessage, isWhole: Bool = true) {
            self.status = status
            self.message = message
            self.isWhole = isWhole
        }
    }

    /// The request as the client sent it.
    public var request: ReplayMessage
    /// Whether the server got the request.
    public var reached: Bool
    /// The request as the server got it, where it was altered on its way.
    public var arrived: ReplayMessage?
    /// What the server answered; nil where it did not.
    public var sent: Response?
    /// What the client received; nil where it did not.
    public var received: Response?

    /// An exchange with these values.
    public init(
        request: ReplayMessage, reached: Bool = true, arrived: ReplayMessage? = nil,
        sent: Response?, received: Response?
    ) {
        self.request = request
        self.reached = reached
        self.arrived = arrived
        self.sent = sent
        self.received = received
    }
}
