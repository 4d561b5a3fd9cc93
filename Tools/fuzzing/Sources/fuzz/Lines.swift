/// Events in which what comes in pieces stands whole, and every place counts from the start.
struct Lines<Head: Equatable> {
    /// One event.
    enum Line: Equatable {
        /// A head, and where it ends.
        case head(Head, Int)
        /// Bytes of one kind that followed each other.
        case bytes(String, [UInt8])
        /// Anything else, and where.
        case word(String, Int)
    }

    private var done: [Line] = []

    mutating func add(_ word: String, _ place: Int) { done.append(.word(word, place)) }

    mutating func add(_ head: Head, at place: Int) { done.append(.head(head, place)) }

    /// Adds bytes to those of the same kind that came right before.
    mutating func extend(_ kind: String, _ bytes: some Sequence<UInt8>) {
        guard case .bytes(kind, var run)? = done.last else {
            done.append(.bytes(kind, Array(bytes)))
            return
        }
        done.removeLast()
        run.append(contentsOf: bytes)
        done.append(.bytes(kind, run))
    }

    func finish() -> [Line] { done }
}
