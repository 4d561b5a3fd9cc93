import Framing
import Wire

/// What is remembered of one direction between reads.
struct MessageScan {
    /// Where in a message the next byte belongs.
    enum Position {
        /// Before a message, or in its head.
        case head
        case body
        /// The direction cannot be framed any more, and never will be again.
        case unframed
    }

    private(set) var position = Position.head
    /// Bytes of a head that is not complete, as the reads delivered them.
    var partial = HeldReads()
    /// Bytes given to the framer so far.
    var offset: Int64 = 0

    var isInBody: Bool { position == .body }
    var isFramed: Bool { position != .unframed }
    /// Whether no part of a head is held and the direction can be framed.
    var holdsNothing: Bool { partial.isEmpty && isFramed }

    /// A head ended; of an interim response no body follows.
    mutating func headEnded(isFinal: Bool = true) {
        if isFramed { position = isFinal ? .body : .head }
    }

    /// A message ended.
    ///
    /// - Returns: Whether it is one whose head was final, so that it answers or asks something.
    @discardableResult
    mutating func messageEnded() -> Bool {
        guard position == .body else { return false }
        position = .head
        return true
    }

    /// What comes from here on is not framed.
    mutating func giveUpFraming() { position = .unframed }
}
