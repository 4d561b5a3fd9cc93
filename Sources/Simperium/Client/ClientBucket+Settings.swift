import Wire

extension ClientBucket {
    /// The settings of a bucket of a client.
    public struct Settings: Sendable {
        /// Number of the channel on its socket, at least 0.
        public var channel: Int
        /// Name of the bucket.
        public var bucket: String
        /// Identifier of the application.
        public var app: String
        /// Identifier of this installation; the same for as long as what it saved is in use.
        public var clientID: String
        /// Name of the client library.
        public var library = "tapedeck"
        /// Version of the client library.
        public var libraryVersion = "1.0"
        /// The maximum number of entries of a page of the index, in 1...1000.
        public var pageSize = 100
        /// Whether pages hold the data, so that no entity needs to be requested.
        public var pagesHoldData = true
        /// Whether the first request travels in the `init`.
        ///
        /// The server then answers it before anything else happens on the channel, which saves the
        /// question whether that was all.
        public var requestsInInit = false
        /// The maximum number of entities that are requested at once, at least 1.
        public var maxEntityRequests = 20
        /// The maximum number of changes that are sent and not answered, at least 1.
        public var maxInFlight = 50
        /// The maximum number of removed objects whose last version is kept.
        public var maxTombstones = 10_000
        /// The maximum number of objects; further ones of the server are not fetched.
        public var maxObjects = 1_000_000
        /// Attempts at one object with its whole data before its change is abandoned, at least 1.
        public var maxFullAttempts = 3
        /// Pauses after a server error.
        public var pauses = ReconnectSchedule(first: 1_000_000_000, longest: 120_000_000_000)
        /// Nanoseconds without an answer after which another socket is opened.
        public var patience: Int64 = 60_000_000_000
        /// Which operations changes are made of.
        public var policy = DiffPolicy.usual

        /// Settings with these values and the usual limits.
        public init(channel: Int = 0, bucket: String, app: String, clientID: String) {
            self.channel = channel
            self.bucket = bucket
            self.app = app
            self.clientID = clientID
        }
    }
}
