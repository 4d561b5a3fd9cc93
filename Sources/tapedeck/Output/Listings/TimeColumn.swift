import ArgumentParser
import Trace
import Wire

/// How times are written.
enum TimeNotation: String, ExpressibleByArgument, CaseIterable {
    /// The time of day, in the time zone of this machine.
    case clock
    /// Seconds since the start of the session.
    case relative
    /// Seconds since the line before.
    case delta
}

/// `--time`.
struct TimeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How times are written: clock, time of day in this time zone; relative, seconds since the start of the session; delta, seconds since the line before.",
            valueName: "clock|relative|delta"))
    var time = TimeNotation.relative
}

/// Writes the times of lines, one after the other, and the marks where a session begins.
struct TimeColumn {
    private let notation: TimeNotation
    private var starts: [SessionID: Int64] = [:]
    /// What sessions of a fleet are called.
    private var titles: [SessionID: String] = [:]
    private var session: SessionID?
    private var last: Instant?
    private var day: String?

    /// Writes times like that.
    init(_ notation: TimeNotation) { self.notation = notation }

    /// Columns that a time takes at least.
    var width: Int { notation == .clock ? 12 : 9 }

    /// Takes the starts of sessions.
    mutating func learn(_ sessions: [SessionDetail]) {
        for session in sessions { starts[session.id] = session.startedUnixNanoseconds }
    }

    /// Takes the start of a session, in nanoseconds since 1970, that is called `title`.
    mutating func learn(_ session: SessionID, startedAt start: Int64, title: String) {
        starts[session] = start
        titles[session] = title
    }

    /// Whether it knows when a session started.
    func knows(_ session: SessionID) -> Bool { starts[session] != nil }

    /// The time of `at` in a session, and nothing about the lines before.
    ///
    /// - Returns: `14:03:05.123`, or `3.201` in seconds.
    func text(_ at: Instant, in session: SessionID) -> String {
        guard notation == .clock, let start = starts[session] else {
            return TimeSpan.clock(at.nanoseconds)
        }
        return LocalTime(unixNanoseconds: start &+ at.nanoseconds).clock
    }

    /// The time of the next line.
    mutating func next(_ at: Instant, in session: SessionID) -> String {
        defer {
            self.session = session
            last = at
        }
        guard notation == .delta else { return text(at, in: session) }
        let before = session == self.session ? last : nil
        let delta = at.nanoseconds - (before?.nanoseconds ?? 0)
        return delta < 0 ? "-" + TimeSpan.clock(-delta) : "+" + TimeSpan.clock(delta)
    }

    /// The line that precedes a line at `at` where a session begins, or, with clock times, a day.
    ///
    /// Nil where nothing begins, and for the only session unless its times are those of a clock.
    mutating func mark(before at: Instant, in session: SessionID) -> String? {
        let start = starts[session]
        let now = notation == .clock ? start.map { $0 &+ at.nanoseconds } : nil
        let today = now.map { LocalTime(unixNanoseconds: $0).day }
        defer { day = today }
        guard session == self.session else {
            let title = titles[session]
            guard starts.count > 1 || notation == .clock || title != nil, let start else {
                return nil
            }
            let since = LocalTime(unixNanoseconds: start).text
            return "── \(title ?? "session \(session)"), started \(since)"
        }
        return day == today ? nil : today.map { "── \($0)" }
    }
}
