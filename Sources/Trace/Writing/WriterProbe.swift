internal import Platform

/// Whether a program writes a trace, asked again and again while this process has it open.
///
/// Closing a descriptor of a file drops all locks that SQLite has on it in this process. So one is
/// opened, and closed after all connections of this process to the trace: whoever has a probe
/// closes them before.
package final class WriterProbe {
    private let path: String
    private var descriptor: CInt = -1

    /// A probe of the trace at `path`.
    package init(_ path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether this or another process writes the trace.
    package func isWritten() -> Bool {
        if let identity = FileIdentity(path: path), TraceFile.isWrittenHere(identity) {
            return true
        }
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return false }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }
}
