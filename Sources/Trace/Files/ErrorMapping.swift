internal import CSQLite
internal import Storage

/// A mistake in the input, as distinct from failures to read it.
package protocol ContentMistake: Error {
    /// The error, as text.
    var message: String { get }
}

/// Runs `body` and turns its failures, of any kind, into one about the file `path`.
package func mappingErrors<Result>(
    of path: String, _ body: () throws -> Result
) throws(FileError) -> Result {
    do {
        return try body()
    } catch let error as FileError {
        throw error
    } catch let error as TraceError {
        throw FileError(error)
    } catch let error as any ContentMistake {
        throw FileError(.malformed, "\(path): \(error.message)")
    } catch let error as StorageFault {
        let code: FileError.Code =
            switch error.primary {
            case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_CONSTRAINT, SQLITE_MISMATCH: .malformed
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: .cannotOpen
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            default: .storage
            }
        throw FileError(code, "\(path): \(error)")
    } catch {
        throw FileError(.storage, "\(path): \(error)")
    }
}
