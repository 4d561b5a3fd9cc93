/// What was recorded of one exchange.
public struct HTTPRecording: Hashable, Sendable {
    /// The request.
    public var request: ReplayMessage
    /// The body of the request with its content coding, as it was sent; nil where the one of
    /// ``request`` is it.
    public var sentBody: [UInt8]?
    /// The response; nil where there was none.
    public var response: ReplayMessage?

    /// A recording with these values.
    public init(
        request: ReplayMessage, sentBody: [UInt8]? = nil, response: ReplayMessage? = nil
    ) {
        self.request = request
        self.sentBody = sentBody
        self.response = response
    }
}
