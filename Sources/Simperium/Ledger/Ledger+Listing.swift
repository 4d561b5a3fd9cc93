public import Notation

extension Ledger {
    /// An index on its way, page by page.
    public struct Listing: Sendable {
        /// Where among all that was said it was asked for.
        public var since: Int
        /// Keys so far.
        public var keys: Set<ExactText> = []
        /// Change version of the first page.
        public var current: String?

        /// An index of which nothing came yet.
        public init(since: Int) { self.since = since }
    }

    /// Takes the end of an index of everything.
    ///
    /// - Parameters:
    ///   - listing: The index.
    ///   - isKept: Whether an object stays though it is not listed.
    /// - Returns: The keys of the objects that are gone.
    @discardableResult
    public mutating func end(
        _ listing: Listing, keeping isKept: (ExactText) -> Bool = { _ in false }
    ) -> [ExactText] {
        // What was mentioned since may be younger than the page that would list it.
        let gone = objects.filter { key, object in
            object.source.order < listing.since && !listing.keys.contains(key) && !isKept(key)
        }
        for key in gone.keys { forget(key) }
        // What was forgotten may have been listed.
        isComplete = evicted == 0
        return Array(gone.keys)
    }
}
