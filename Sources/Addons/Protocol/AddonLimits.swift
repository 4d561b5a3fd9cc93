/// How much of an add-on is waited for, read and kept.
public struct AddonLimits: Hashable, Sendable {
    /// Nanoseconds that an event waits for its verdict.
    public var deadlineNanoseconds: Int64 = 1_000_000_000
    /// Nanoseconds that an add-on may take from its start to its first line.
    public var startNanoseconds: Int64 = 10_000_000_000
    /// Nanoseconds that an add-on may take to end once its input ended.
    public var endNanoseconds: Int64 = 60_000_000_000
    /// Deadlines in a row without a line of the add-on, after which it is ended and started again.
    public var silentDeadlines: Int64 = 3
    /// Whether it is started again after it failed.
    public var isRestarted = true
    /// The pause before it is started again, in nanoseconds; doubled each time.
    public var firstPauseNanoseconds: Int64 = 1_000_000_000
    /// The longest pause, in nanoseconds; an add-on that ran so long begins with the first pause.
    public var longestPauseNanoseconds: Int64 = 60_000_000_000
    /// Bytes of one line of an add-on.
    public var lineBytes = 24 << 20
    /// Events that are sent and have no verdict yet; further ones wait.
    public var openEvents = 256
    /// Bytes written for an add-on that it has not read; further events wait.
    public var unreadBytes = 1 << 20
    /// Events that wait to be sent; further ones pass unasked.
    public var waitingEvents = 65_536
    /// Bytes in events that wait to be sent; further ones pass unasked.
    public var waitingBytes = 64 << 20
    /// What may come beside verdicts (marks, notes, messages to be sent) for each event.
    public var besideEachEvent = 64
    /// What may come beside verdicts at once.
    public var besideAtOnce = 4_096
    /// Bytes of the text of a mark or note.
    public var textBytes = 4_096
    /// Milliseconds that traffic may be delayed by.
    public var delayMilliseconds: Int64 = 3_600_000

    /// Instructions of Lua for an event.
    public var luaInstructions: Int64 = 1_000_000
    /// Bytes of memory of a script in Lua.
    public var luaMemoryBytes = 64 << 20

    /// The default limits.
    public init() {}
}
