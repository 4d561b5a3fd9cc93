import Foundation
import Platform

/// What is known about the terminal that output goes to.
enum Terminal {
    /// Columns of standard output; nil without a limit.
    ///
    /// `COLUMNS` where it is set, else what the terminal reports. A file or pipe has no limit: what
    /// reads it needs all, and `COLUMNS` may be set for all that a job runs.
    static var columns: Int? {
        guard StandardOutput.isTerminal else { return nil }
        return columns(ProcessInfo.processInfo.environment["COLUMNS"], size())
    }

    /// The columns by the variable and by what a terminal reports; fewer than 20 count as 20.
    static func columns(_ variable: String?, _ reported: Int?) -> Int? {
        let set = variable.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return (set ?? reported).map { max($0, 20) }
    }

    private static func size() -> Int? {
        var size = winsize()
        // With a pager standard output is a pipe, and the terminal is that of the others.
        for descriptor: Int32 in [1, 2, 0]
        where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return nil
    }

    /// Whether colours are wanted on what `isTerminal`.
    static func hasColour(isTerminal: Bool, _ environment: [String: String]) -> Bool {
        isTerminal && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"] != "dumb"
    }
}
