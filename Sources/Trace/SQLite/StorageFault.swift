internal import CSQLite

/// What SQLite said when it failed.
struct StorageFault: Error, CustomStringConvertible {
    /// Extended result code.
    var code: Int32
    /// SQLite's message.
    var message: String

    var description: String { "\(message) (SQLite \(code))" }

    /// The result code without its extension.
    var primary: Int32 { code & 0xFF }

    /// Whether the disk has no room or fails, which may pass.
    var isDisk: Bool { primary == SQLITE_FULL || primary == SQLITE_IOERR }

    /// Whether somebody else holds a lock, which will pass.
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// The same for callers outside this module.
    func told(about path: String) -> TraceError {
        switch primary {
        case SQLITE_NOTADB:
            TraceError(.notATrace, "\(path) is not a trace; name another file")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
            TraceError(
                .cannotOpen,
                "\(path) cannot be opened: \(message); check that it and its directory are yours")
        case SQLITE_FULL, SQLITE_IOERR:
            TraceError(.diskFull, "\(path) cannot be written: \(message); make room on the disk")
        case SQLITE_BUSY, SQLITE_LOCKED:
            TraceError(
                .busy, "\(path) is locked by another program; end that program and try again")
        default:
            TraceError(.storage, "\(path): \(message) (SQLite \(code))")
        }
    }
}
