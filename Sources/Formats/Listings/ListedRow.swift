internal import Dissection
public import Trace
internal import Wire

/// A line of a listing with what its columns need besides.
public struct ListedRow: Sendable {
    /// The line.
    public var line: TraceLine
    /// When its session started, in nanoseconds since 1970.
    public var start: Int64?
    /// The rules that touched it.
    public var rules: TouchingRules
    /// The recorder, in a fleet.
    public var recorder: String?

    /// A line with these facts.
    public init(
        _ line: TraceLine, since start: Int64?, rules: TouchingRules, recorder: String? = nil
    ) {
        self.line = line
        self.start = start
        self.rules = rules
        self.recorder = recorder
    }

    /// Whether it failed: a status from 400 on, no complete response, or an error code.
    public var isError: Bool {
        switch line {
        case .exchange(_, let row): row.status.map { $0 >= 400 } ?? (row.outcome != .open)
        case .command(_, let row): row.error != nil
        case .message(_, let row): row.problem != nil
        }
    }

    /// From its first byte to its last, in nanoseconds; nil for commands and what is not over.
    public var nanoseconds: Int64? {
        switch line {
        case .exchange(_, let row):
            row.endedAt.map { $0.nanoseconds - row.startedAt.nanoseconds }
        case .message(_, let row): row.endedAt.nanoseconds - row.at.nanoseconds
        case .command: nil
        }
    }

    /// Bytes of content, as the filter field `size` has it.
    public var bytes: Int64 {
        switch line {
        case .exchange(_, let row): row.requestSize + row.responseSize
        case .command(_, let row): Int64(row.payloadSize)
        case .message(_, let row): row.size
        }
    }

    /// When it was: of its first byte, of a command's last one.
    var at: Instant {
        switch line {
        case .exchange(_, let row): row.startedAt
        case .command(_, let row): row.at
        case .message(_, let row): row.at
        }
    }
}
