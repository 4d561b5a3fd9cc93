public import Notation

/// A message of a server, with its receivers.
public struct ServerReply: Hashable, Sendable {
    /// Where a client is reached.
    public struct Place: Hashable, Sendable {
        /// The connection.
        public var session: SocketID
        /// The channel; nil for what concerns the connection: `h`, `log` and a bare `?`.
        public var channel: Int?

        /// A place with these values.
        public init(_ session: SocketID, _ channel: Int?) {
            self.session = session
            self.channel = channel
        }
    }

    /// Who gets it.
    public enum Receivers: Hashable, Sendable {
        /// The requester.
        case one(Place)
        /// Every channel on a bucket, in the order in which they were opened; the author's too, for
        /// whom it is the acknowledgement.
        case everyone([Place])
    }

    /// Who gets it.
    public var receivers: Receivers
    /// The message; the same to all.
    public var body: SimperiumBody<JSONValue>

    /// A reply with these values.
    public init(_ receivers: Receivers, _ body: SimperiumBody<JSONValue>) {
        self.receivers = receivers
        self.body = body
    }

    /// The places it goes to, in order; may be empty.
    public var places: [Place] {
        switch receivers {
        case .one(let place): [place]
        case .everyone(let places): places
        }
    }

    /// A message for each receiver, in order.
    public var messages: [(session: SocketID, message: SimperiumMessage)] {
        places.map { ($0.session, SimperiumMessage($0.channel, body)) }
    }
}
