/// Bytes of a leg that are known to be missing from the trace.
public struct GapRow: Hashable, Sendable {
    /// Why bytes are missing.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The disk was full and traffic continued.
        case diskFull = "disk-full"
        /// They were deleted to keep the trace within its bounds.
        case evicted
        /// The capture did not see them.
        case notCaptured = "not-captured"
        /// They were encrypted and could not be read, in a capture whose other bytes could.
        case encrypted
        /// Another program held a lock of the trace, and traffic continued.
        case locked
        /// The file they were in was deleted, replaced or truncated while it was written.
        case traceLost = "trace-lost"
    }

    /// The connection.
    public var connection: ConnectionID?
    /// The leg, if the bytes of one leg are missing.
    public var leg: LegID?
    /// Who sent the missing bytes; nil where both sides' are missing.
    public var sender: Peer?
    /// When the first of them arrived.
    public var at: Instant
    /// When the last of them arrived.
    public var until: Instant
    /// How many bytes are missing, 0 where that is unknown.
    public var count: Int64
    /// How many chunks are missing.
    public var chunks: Int64
    /// Why.
    public var reason: Reason

    /// A gap row with these values.
    public init(
        connection: ConnectionID?, leg: LegID?, sender: Peer?, at: Instant, until: Instant,
        count: Int64, chunks: Int64, reason: Reason
    ) {
        self.connection = connection
        self.leg = leg
        self.sender = sender
        self.at = at
        self.until = until
        self.count = count
        self.chunks = chunks
        self.reason = reason
    }
}

/// A time that a user named.
public struct MarkRow: Hashable, Sendable {
    /// When.
    public var at: Instant
    /// The name.
    public var name: String

    /// A mark row with these values.
    public init(at: Instant, name: String) {
        self.at = at
        self.name = name
    }
}

/// Something that Tapedeck did to the traffic on purpose.
///
/// The place is a chunk and an offset rather than a derived row, so that the statement survives a
/// rebuild of everything derived.
public struct FaultRow: Hashable, Sendable {
    /// What something is done to the traffic for.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// To break something, so that it shows what a client does then.
        case fault
        /// To have the traffic otherwise; nobody is judged by it.
        case edit
    }

    /// When.
    public var at: Instant
    /// What for.
    public var purpose: Purpose
    /// Name of the rule that requested it.
    public var rule: String
    /// What was done: the action as plans write it, with its arguments.
    public var action: String
    /// What that did; nil where it is unknown, as in a recording of an earlier format.
    public var effect: FaultEffect?
    /// Why it could not be done; nil where it was done.
    public var problem: String?
    /// What about the message no longer fits afterwards, in words; nil where nothing is known to.
    public var detail: String?
    /// The connection it was done to.
    public var connection: ConnectionID?
    /// Whose bytes it was done to, where it was done to bytes.
    public var sender: Peer?
    /// Value of the scope that occurrences are counted in; empty where over all.
    public var scope: String
    /// Ordinal of the event among those of this scope that the rule's filter matched, from 1.
    public var occurrence: Int64
    /// The value of the random draw: derived from seed, rule, scope and occurrence alone.
    public var draw: UInt64
    /// Place of the command that it was done to among those of its message, from 0.
    public var position: Int
    /// The chunk that it was done to; nil until the writer has given it a number.
    public var chunk: ChunkID?
    /// Offset in bytes within that chunk.
    public var offset: Int
    /// Whether its bytes are recorded after it and together with it, so that the writer gives it the
    /// number of the next chunk; otherwise they are the last before it.
    ///
    /// Not stored.
    public var isAhead = true

    /// Whether it was done.
    public var isDone: Bool { problem == nil }

    /// Whether it is known to have had any of these effects.
    public func hasEffect(_ effects: FaultEffect) -> Bool { effect?.hasAny(of: effects) ?? false }

    /// A fault row with these values.
    public init(
        at: Instant, purpose: Purpose = .fault, rule: String, action: String,
        effect: FaultEffect? = nil, problem: String? = nil, detail: String? = nil,
        connection: ConnectionID? = nil, sender: Peer? = nil, scope: String = "",
        occurrence: Int64 = 1, draw: UInt64 = 0, position: Int = 0,
        chunk: ChunkID? = nil, offset: Int = 0
    ) {
        self.at = at
        self.purpose = purpose
        self.rule = rule
        self.action = action
        self.effect = effect
        self.problem = problem
        self.detail = detail
        self.connection = connection
        self.sender = sender
        self.scope = scope
        self.occurrence = occurrence
        self.draw = draw
        self.position = position
        self.chunk = chunk
        self.offset = offset
    }
}

/// A broken rule, with the evidence.
public struct FindingRow: Hashable, Sendable {
    /// The severity.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
        /// Violates the specification or loses data.
        case error
        /// Risky.
        case warning
        /// Worth knowing.
        case info
    }

    /// When.
    public var at: Instant
    /// Identifier of the rule.
    public var rule: String
    /// The severity.
    public var severity: Severity
    /// The chunk that holds the evidence.
    public var chunk: ChunkID?
    /// Offset in bytes within that chunk.
    public var offset: Int
    /// The message, with the quoted bytes.
    public var detail: String
    /// What should have been sent instead.
    public var expected: String

    /// A finding row with these values.
    public init(
        at: Instant, rule: String, severity: Severity, chunk: ChunkID?, offset: Int, detail: String,
        expected: String
    ) {
        self.at = at
        self.rule = rule
        self.severity = severity
        self.chunk = chunk
        self.offset = offset
        self.detail = detail
        self.expected = expected
    }
}

/// What a peer had to do and had not done when the recording ended, before its time was up.
public struct UndecidedRow: Hashable, Sendable {
    /// When the wait began.
    public var at: Instant
    /// Identifier of the rule that would have been broken.
    public var rule: String
    /// How long it had lasted when the recording ended, in nanoseconds.
    public var waitedNanoseconds: Int64
    /// The chunk that holds what the wait began with.
    public var chunk: ChunkID?
    /// Offset in bytes within that chunk.
    public var offset: Int
    /// What the peer has to do, or must not leave undone.
    public var detail: String
    /// What was waited for.
    public var expected: String

    /// An undecided row with these values.
    public init(
        at: Instant, rule: String, waitedNanoseconds: Int64, chunk: ChunkID?, offset: Int,
        detail: String, expected: String
    ) {
        self.at = at
        self.rule = rule
        self.waitedNanoseconds = waitedNanoseconds
        self.chunk = chunk
        self.offset = offset
        self.detail = detail
        self.expected = expected
    }
}
