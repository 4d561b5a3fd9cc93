import Trace
import Wire

/// The times on a page of `show`.
struct PageTimes {
    private let column: TimeColumn
    private let starts: [SessionID: Int64]
    private let notation: TimeNotation

    /// Times in this notation, with the wall clock of these sessions.
    init(_ notation: TimeNotation, _ sessions: [SessionDetail]) {
        var column = TimeColumn(notation)
        column.learn(sessions)
        self.column = column
        self.notation = notation
        starts = Dictionary(
            uniqueKeysWithValues: sessions.map { ($0.id, $0.startedUnixNanoseconds) })
    }

    /// `3.201 s into session 1, 2026-11-21 14:03:05.123 +01:00`.
    func phrase(_ at: Instant, in session: SessionID) -> String {
        var text = "\(TimeSpan.clock(at.nanoseconds)) s into session \(session)"
        if let start = starts[session] {
            text += ", \(LocalTime(unixNanoseconds: start &+ at.nanoseconds).exactText)"
        }
        return text
    }

    /// `3.201 s`, or `14:03:05.123`.
    func short(_ at: Instant, in session: SessionID) -> String {
        column.text(at, in: session) + (notation == .clock ? "" : " s")
    }

    /// Writes the times of lines, one after the other.
    var lines: TimeColumn { column }
}
