import Wire

/// How the times of findings are written.
struct FindingTimes {
    private let column: TimeColumn
    private let session: SessionID
    private let notation: TimeNotation

    /// Times in a notation, of a session that `column` knows.
    init(_ notation: TimeNotation, _ column: TimeColumn, in session: SessionID) {
        self.notation = notation
        self.column = column
        self.session = session
    }

    /// Seconds since the start of the session.
    static let relative = FindingTimes(.relative, TimeColumn(.relative), in: SessionID(0))

    /// `3.201 s`, or `14:03:05.123`.
    func text(_ at: Instant) -> String {
        column.text(at, in: session) + (notation == .clock ? "" : " s")
    }

    /// The times of steps, as a column.
    func clocks(_ steps: [Instant]) -> [String] {
        var column = column
        return steps.map { column.next($0, in: session) }
    }
}
