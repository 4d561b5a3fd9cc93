internal import CSQLite
internal import Platform
package import Storage

/// A trace that is moved to its place when it is complete, and leaves nothing behind otherwise.
package final class NewTrace {
    /// Its temporary path.
    package let path: String
    private let folder: String
    private let target: String

    /// An empty trace, which will be moved to `target`, an absolute path.
    package init(for target: String) throws(FileError) {
        self.target = target
        guard !Folder.isThere(target) else { throw Self.inTheWay(target) }
        folder = try Folder.makeBeside(target)
        path = folder + "/trace"
        do throws(TraceError) {
            // Any session works: it is emptied, and the schema stays.
            let start = SessionStart(
                provenance: .proxy, version: "", arguments: "", startedUnixNanoseconds: 0)
            try TraceWriter(path: path, session: start).finish()
        } catch {
            Folder.remove(folder)
            throw FileError(error)
        }
        do {
            try empty()
        } catch {
            Folder.remove(folder)
            throw error
        }
    }

    deinit { Folder.remove(folder) }

    private func empty() throws(FileError) {
        try mappingErrors(of: target) {
            let db = try open()
            defer { db.close() }
            for table in TableDefinition.recorded { try db.execute("DELETE FROM \(table.name)") }
        }
    }

    /// A connection that is fast rather than safe: nothing is lost with a temporary file.
    package func open() throws(StorageFault) -> Connection {
        let db = try Connection(
            path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
        try db.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384")
        return db
    }

    /// Builds its decoded rows, with the numbers of those that it has; failures name it `path`.
    @discardableResult package func rebuild(
        for path: String, progress: (Double) -> Void = { _ in }
    ) throws -> Rebuild.Outcome {
        do throws(TraceError) {
            return try Rebuild.run(path: self.path, progress: progress)
        } catch {
            throw TraceError(error.code, error.reason.replacing(self.path, with: path))
        }
    }

    /// Moves it to its place, unless another file was created there meanwhile.
    package func publish() throws(FileError) {
        let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC)
        let isSafe = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isSafe else {
            throw FileError(
                .storage, "\(target) cannot be written: \(lastSystemError); make room on the disk")
        }
        if link(path, target) == 0 { return }
        guard errno != EEXIST else { throw Self.inTheWay(target) }
        // A file system without links: the name is reserved first, so that no other file is
        // replaced.
        let taken = Platform.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard taken >= 0 else { throw Self.inTheWay(target) }
        close(taken)
        do {
            try Folder.rename(path, to: target)
        } catch {
            unlink(target)
            throw error
        }
    }

    private static func inTheWay(_ path: String) -> FileError {
        FileError(
            .cannotOpen, "\(path) exists already or cannot be created: name a new file")
    }
}
