/// Decides which request a response answers where bytes are missing.
///
/// Theory: as long as nothing is missing, responses come in the order of the requests. After
/// missing bytes the number of responses in them is unknown. With a client that sends a request
/// only once the previous response is complete, as nearly all do, the order of events determines
/// the pairs: whatever waited before the last request has ended, and a response answers the last.
/// Where several requests wait at once, only a count helps: when all responses except those that
/// are certainly lost were received, the last of them answers the last request. Until then no
/// response is given to any request: a wrong pair is worse than none.
struct Pairing: Hashable {
    private enum State: Hashable {
        /// Responses come in the order of the requests.
        case inOrder
        /// Responses may be missing, and no two requests wait at a time.
        case alternating
        /// Responses may be missing while several requests wait: `lost` of them surely, and `found`
        /// have come since.
        case counting(lost: Int, found: Int)
    }

    private var state = State.inOrder
    /// Whether the client has sent a request before the response to an earlier one was complete.
    private(set) var hasPipelined = false

    /// Whether responses come in the order of the requests that wait.
    var isInOrder: Bool { state == .inOrder }

    /// Whether whatever waits has ended as soon as the next request begins.
    var isAlternating: Bool { state == .alternating }

    /// A request began while an earlier one waited for its response, though nothing was missing.
    mutating func overlap() { hasPipelined = true }

    /// A request began while an earlier one waited, though responses may be missing.
    mutating func overlapWhileLost() {
        hasPipelined = true
        if state == .alternating { state = .counting(lost: 0, found: 0) }
    }

    /// Bytes of responses are missing.
    ///
    /// - Parameters:
    ///   - waiting: How many requests wait for a response that has not begun.
    ///   - isFirstLost: Whether the response to the first of them is surely among what is missing.
    mutating func lose(waiting: Int, isFirstLost: Bool) {
        switch state {
        case .inOrder:
            state =
                waiting > 1 || hasPipelined
                ? .counting(lost: isFirstLost ? 1 : 0, found: 0) : .alternating
        case .alternating, .counting:
            break
        }
    }

    /// Which of `waiting` requests the next responses answer, counted from 0; nil where that is
    /// unknown.
    ///
    /// What is not in the list has no request, as far as is known.
    func plan(waiting: Int) -> [Int?] {
        guard waiting > 0 else { return [] }
        switch state {
        case .inOrder:
            return Array(0..<waiting)
        case .alternating:
            return [waiting - 1]
        case .counting(let lost, let found):
            let before = max(1, waiting - lost) - found - 1
            return Array(repeating: nil, count: max(0, before)) + [waiting - 1]
        }
    }

    /// A response began.
    ///
    /// - Returns: Which of `waiting` requests it answers, counted from 0; nil where that is unknown
    ///   or none waits.
    mutating func respond(waiting: Int) -> Int? {
        guard let answer = plan(waiting: waiting).first else {
            state = .inOrder
            return nil
        }
        if answer != nil {
            state = .inOrder
        } else if case .counting(let lost, let found) = state {
            state = .counting(lost: lost, found: found + 1)
        }
        return answer
    }

    /// Earlier requests cannot be answered any more.
    mutating func restart() { state = .inOrder }
}
