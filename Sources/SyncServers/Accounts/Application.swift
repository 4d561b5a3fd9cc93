public import Simperium

extension Accounts {
    /// A Simperium application.
    public struct Application: Hashable, Sendable {
        /// Its identifier; the same in upper and lower case.
        public var id: String
        /// The buckets that clients may open, with their options; nil for any, with the usual ones;
        /// `*` matches those not named.
        public var buckets: [String: BucketOptions]?

        /// An application with these values.
        public init(id: String, buckets: [String: BucketOptions]? = nil) {
            self.id = id
            self.buckets = buckets
        }

        /// The options of a bucket; nil where it may not be opened.
        public func options(bucket: String) -> BucketOptions? {
            guard let buckets else { return SimperiumServer.usualOptions.bucket }
            return buckets[bucket] ?? buckets["*"]
        }
    }
}
