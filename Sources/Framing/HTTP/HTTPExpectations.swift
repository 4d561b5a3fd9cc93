/// The requests that responses are still to come for, in order.
@usableFromInline struct HTTPExpectations: Sendable {
    @usableFromInline var kinds: [HTTPRequestKind] = []
    @usableFromInline var first = 0
    /// The kind of request of responses without an expectation.
    @usableFromInline let otherwise: HTTPRequestKind

    init(otherwise: HTTPRequestKind = .other) { self.otherwise = otherwise }

    /// Whether nothing is expected that a new one would not expect.
    @inlinable var isLikeNew: Bool { first == kinds.count && otherwise == .other }

    /// Adds the request that was sent last.
    mutating func append(_ kind: HTTPRequestKind) { kinds.append(kind) }

    /// Removes the request at `index` of those that are waited for, if there is one.
    mutating func remove(at index: Int) {
        guard index >= 0, first + index < kinds.count else { return }
        kinds.remove(at: first + index)
    }

    /// The request that the next final response answers; ``otherwise`` where none is known.
    var upcoming: HTTPRequestKind { first < kinds.count ? kinds[first] : otherwise }

    /// Removes the request that the next final response answers; ``otherwise`` where none is known.
    mutating func next() -> HTTPRequestKind {
        guard first < kinds.count else { return otherwise }
        let kind = kinds[first]
        first += 1
        // Moving the rest only when half is used up keeps this linear over a connection.
        if first * 2 >= kinds.count {
            kinds.removeFirst(first)
            first = 0
        }
        return kind
    }
}
