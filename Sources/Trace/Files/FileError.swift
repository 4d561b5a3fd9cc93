/// Why a recording could not be written or read.
public struct FileError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The kind of a failure, on which callers and exit statuses depend.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A file or folder does not exist, is in the way or cannot be opened.
        case cannotOpen = "cannot-open"
        /// The input is not a recording or trace, has impossible content, or lacks what was asked for.
        case malformed
        /// A later version of this program wrote it.
        case newerFormat = "newer-format"
        /// Another program is writing the trace.
        case busy
        /// Reading or writing failed.
        case storage
        /// The user ended it before it was done; nothing was written.
        case stopped
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it, in one line; mistakes in a file begin with
    /// `FILE:LINE:`.
    public let reason: String

    /// A failure of this kind, described by `reason`.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The failure of an operation that the user ended.
    package static let stopped = FileError(.stopped, "stopped: nothing was written")

    /// The same failure of a trace.
    public init(_ error: TraceError) {
        let code: Code =
            switch error.code {
            case .notATrace, .olderFormat, .notFound: .malformed
            case .newerFormat: .newerFormat
            case .busy: .busy
            case .cannotOpen: .cannotOpen
            case .diskFull, .lost, .storage: .storage
            }
        self.init(code, error.reason)
    }

    /// The reason.
    public var description: String { reason }

    /// Compares codes only, so that tests need not repeat prose.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }

    /// Hashes the code only, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
