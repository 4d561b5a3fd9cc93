public import Wire

extension RecordedExchanges {
    /// An exchange of a trace, with bytes that are valid during a call only.
    public struct Row {
        /// Its number.
        public var id: ExchangeID
        /// The connection.
        public var connection: ConnectionID
        /// What it is for.
        public var api: UnsafeRawBufferPointer
        /// Method as sent.
        public var method: UnsafeRawBufferPointer
        /// Host without port, in lower case.
        public var host: UnsafeRawBufferPointer
        /// TCP port.
        public var port: Int
        /// Path without query.
        public var path: UnsafeRawBufferPointer
        /// Query without question mark.
        public var query: UnsafeRawBufferPointer?
        /// Status of the final response.
        public var status: Int?
        /// When the request began.
        public var startedAt: Instant
        /// When the first byte of the response came.
        public var respondedAt: Instant?
        /// When the last byte of the response came.
        public var endedAt: Instant?

        /// A row with these values.
        public init(
            id: ExchangeID, connection: ConnectionID, api: UnsafeRawBufferPointer,
            method: UnsafeRawBufferPointer, host: UnsafeRawBufferPointer, port: Int,
            path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer?, status: Int?,
            startedAt: Instant, respondedAt: Instant?, endedAt: Instant?
        ) {
            self.id = id
            self.connection = connection
            self.api = api
            self.method = method
            self.host = host
            self.port = port
            self.path = path
            self.query = query
            self.status = status
            self.startedAt = startedAt
            self.respondedAt = respondedAt
            self.endedAt = endedAt
        }
    }

    /// Exchanges of a trace on their way into a list: texts one after the other, and what many share
    /// once.
    public struct Batch: Sendable {
        /// What many exchanges share.
        struct Origin {
            /// Where its API is in the bytes.
            var api: Range<Int>
            /// Where its method is.
            var method: Range<Int>
            /// Where its host is.
            var host: Range<Int>
            var port: Int
        }

        /// An exchange without its texts.
        struct Entry {
            var id: ExchangeID
            var connection: ConnectionID
            var status: Int?
            var startedAt: Instant
            var respondedAt: Instant?
            var endedAt: Instant?
            /// The place of its origin.
            var origin: Int
            /// Where the number of its method and host, and its path, are in the bytes.
            var target: Range<Int>
            /// Where its query is.
            var query: Range<Int>?
        }

        private(set) var bytes: [UInt8] = []
        private(set) var origins: [Origin] = []
        private(set) var entries: [Entry] = []
        /// The newest origins, by some of their bits.
        ///
        /// One that is not among them any more is there twice, which is no harm.
        private var recent = [Int](repeating: 0, count: 16)

        /// None.
        public init() {}

        /// Number of exchanges.
        public var count: Int { entries.count }

        /// Adds one at the end.
        public mutating func append(_ row: Row) {
            let origin = origin(of: row)
            let start = bytes.count
            for _ in 0..<RecordedExchanges.originSize { bytes.append(0) }
            let target = start..<add(row.path).upperBound
            entries.append(
                Entry(
                    id: row.id, connection: row.connection, status: row.status,
                    startedAt: row.startedAt, respondedAt: row.respondedAt, endedAt: row.endedAt,
                    origin: origin, target: target, query: row.query.map { add($0) }))
        }

        /// Sets the numbers of methods and hosts in all targets.
        ///
        /// - Parameter number: That of the origin at a place.
        mutating func setOrigins(_ number: (Int) -> UInt32) {
            bytes.withUnsafeMutableBytes { bytes in
                for entry in entries {
                    var rest = number(entry.origin)
                    for place in entry.target.prefix(RecordedExchanges.originSize) {
                        bytes[place] = UInt8(truncatingIfNeeded: rest)
                        rest >>= 8
                    }
                }
            }
        }

        private mutating func add(_ text: UnsafeRawBufferPointer) -> Range<Int> {
            let start = bytes.count
            bytes.append(contentsOf: text)
            return start..<bytes.count
        }

        private mutating func origin(of row: Row) -> Int {
            let bits = Int(row.host.last ?? 0) &+ row.method.count &+ row.api.count &+ row.port
            let slot = bits & (recent.count - 1)
            let known = recent[slot]
            if known < origins.count, isSame(origins[known], row) { return known }
            recent[slot] = origins.count
            origins.append(
                Origin(
                    api: add(row.api), method: add(row.method), host: add(row.host), port: row.port)
            )
            return recent[slot]
        }

        private func isSame(_ origin: Origin, _ row: Row) -> Bool {
            bytes.withUnsafeBytes { bytes in
                func isSame(_ place: Range<Int>, _ text: UnsafeRawBufferPointer) -> Bool {
                    UnsafeRawBufferPointer(rebasing: bytes[place]).isSame(as: text)
                }
                return origin.port == row.port && isSame(origin.method, row.method)
                    && isSame(origin.host, row.host) && isSame(origin.api, row.api)
            }
        }
    }
}
