internal import CSQLite
internal import Storage

extension StorageFault {
    /// The same for callers outside this module.
    func traceError(at path: String) -> TraceError {
        if MistakenPath.isFolder(path) {
            return TraceError(.cannotOpen, MistakenPath.folder(path))
        }
        return switch primary {
        case SQLITE_NOTADB: TraceError(.notATrace, MistakenPath.file(path))
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH:
            TraceError(
                .cannotOpen,
                "\(path) cannot be opened: \(message); check that it and its directory are yours")
        case SQLITE_FULL, SQLITE_IOERR:
            TraceError(.diskFull, "\(path) cannot be written: \(message); make room on the disk")
        case SQLITE_BUSY, SQLITE_LOCKED:
            TraceError(
                .busy, "\(path) is locked by another program; end that program and try again")
        case SQLITE_INTERRUPT:
            TraceError(
                .storage,
                "\(path) keeps SQLite busy for far longer than a trace of its size can: it is damaged "
                    + "or was made to do so")
        default:
            TraceError(.storage, "\(path): \(message) (SQLite \(code))")
        }
    }
}
