/// What a client asks for that takes more than the machine knows: a command of this program, or a query.
public struct AssistantWork: Hashable, Sendable {
    /// One argument of a command.
    public enum Argument: Hashable, Sendable {
        /// As it is.
        case text(String)
        /// The path of the trace to read, of which secrets are replaced unless they may be shown; the
        /// one that the program was started with where nil.
        case trace(String?)
        /// The path of a trace that is being recorded, as it is, for its control interface.
        case recorded(String?)
    }

    /// What is done.
    public enum Action: Hashable, Sendable {
        /// A command of this program that ends by itself.
        case command([Argument])
        /// A query of the SQLite file of a trace.
        case query(String, trace: String?)
        /// A recording to this new or existing trace, with the arguments of `record`.
        case startRecording(trace: String, arguments: [String])
        /// The end of a recording that was started here, by its handle.
        case stopRecording(String)
        /// The recordings that were started here.
        case recordings
    }

    /// What is done.
    public var action: Action
    /// The place of the first byte of its text that is answered.
    public var offset: Int

    /// Work whose answer begins at `offset`.
    public init(_ action: Action, offset: Int = 0) {
        self.action = action
        self.offset = offset
    }
}

/// What became of the work.
public enum AssistantOutcome: Hashable, Sendable {
    /// A part of its text from the offset on, and whether more follows.
    case text([UInt8], hasMore: Bool, notice: String)
    /// It failed: why, and what to do.
    case failed(String)
}

/// What a server may do beside reading.
public enum AssistantPermission: String, Hashable, Sendable, CaseIterable {
    /// Start and stop recordings.
    case record
    /// Add and remove rules of faults.
    case faults
}
