internal import CSQLite
internal import Storage
internal import Trace

/// Runs `body` and tells its failures, of whatever kind, as one about the file `path`.
func told<Result>(
    about path: String, _ body: () throws -> Result
) throws(InterchangeError) -> Result {
    do {
        return try body()
    } catch let error as InterchangeError {
        throw error
    } catch let error as TraceError {
        throw InterchangeError(error)
    } catch let error as RowMistake {
        throw InterchangeError(.malformed, "\(path): \(error.says)")
    } catch let error as StorageFault {
        let code: InterchangeError.Code =
            switch error.primary {
            case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .malformed
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: .cannotOpen
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            default: .storage
            }
        throw InterchangeError(code, "\(path): \(error)")
    } catch {
        throw InterchangeError(.storage, "\(path): \(error)")
    }
}
