package import Trace

/// Why a trace cannot be used.
package enum SessionError: Error, Sendable {
    /// The trace cannot be read.
    case trace(TraceError)
    /// The requested object is not in the trace.
    case missing(String)

    /// What is wrong, and what to do.
    package var reason: String {
        switch self {
        case .trace(let error): error.reason
        case .missing(let detail): detail
        }
    }
}

extension TraceReader {
    /// Runs a read of the trace.
    ///
    /// - Throws: ``SessionError`` in place of what `body` throws.
    func reading<T>(_ body: (TraceReader) throws(TraceError) -> T) throws(SessionError) -> T {
        do {
            return try body(self)
        } catch {
            throw .trace(error)
        }
    }
}

extension TraceReader {
    /// Opens the trace at `path`; a warning about it goes to `warning`.
    static func forReport(
        _ path: String, _ warning: inout String?
    ) throws(SessionError) -> TraceReader {
        do {
            let reader = try TraceReader(path: path)
            warning = reader.warning
            return reader
        } catch {
            throw .trace(error)
        }
    }
}
