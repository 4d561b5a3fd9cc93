public import Notation

extension Ledger {
    /// An index that is being received, page by page.
    public struct Listing: Sendable {
        /// The place of its request in the order of all commands.
        public var since: Int
        /// Keys so far.
        public var keys: Set<ExactText> = []
        /// Change version of the first page.
        public var current: String?

        /// An index before its first page.
        public init(since: Int) { self.since = since }
    }

    /// Processes the end of an index of all objects.
    ///
    /// - Parameters:
    ///   - listing: The index.
    ///   - isKept: Whether an object stays though it is not listed.
    /// - Returns: The keys of the objects that were removed.
    @discardableResult
    public mutating func end(
        _ listing: Listing, keeping isKept: (ExactText) -> Bool = { _ in false }
    ) -> [ExactText] {
        // An object mentioned since may be newer than the page that would list it.
        let gone = objects.filter { key, object in
            object.source.order < listing.since && !listing.keys.contains(key) && !isKept(key)
        }
        for key in gone.keys { forget(key) }
        // Evicted objects may have been listed.
        isComplete = evicted == 0
        return Array(gone.keys)
    }
}
