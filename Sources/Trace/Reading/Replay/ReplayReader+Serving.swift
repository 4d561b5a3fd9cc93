internal import Storage

extension ReplayReader {
    /// The addresses at which tapedeck acted as the server, `HOST:PORT`.
    public func listeners() throws(TraceError) -> [String] {
        try reader.reported { () throws(StorageFault) in
            try reader.list(
                "SELECT DISTINCT listener FROM connection WHERE mode = 'reverse'", []
            ) { $0.string(0) }
        }
    }

    /// Reads a snapshot of the trace, regardless of later writes.
    ///
    /// One transaction for all reads saves each statement the locks and the check for changes,
    /// which take longer than most reads. Meanwhile a writer's log is not emptied. The file is
    /// mapped from here on, which is faster than to read it, but pages that were read are released.
    public func holdSnapshot() throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            try map()
            try db.execute("BEGIN")
            // The first read takes the lock.
            _ = try db.integer("SELECT count(*) FROM session")
        }
    }

    /// The number of contents that are read before mapped pages are released.
    ///
    /// The kernel maps 64 KiB around a requested page: 64 MiB at most with small contents.
    private static let maxMapped = 1_000

    /// Keeps memory bounded: pages that are mapped count as memory in use until they are released.
    func countMapped(_ contents: Int) throws(StorageFault) {
        guard let count = mapped else { return }
        mapped = count + contents
        if count >= Self.maxMapped { try map() }
    }

    /// Maps the file again, the first 2 GiB of it, which is as much as SQLite can.
    func map() throws(StorageFault) {
        try db.execute("PRAGMA mmap_size = 0; PRAGMA mmap_size = 2147418112")
        mapped = 0
    }

    /// Reads the file page by page again.
    func unmap() throws(StorageFault) {
        try db.execute("PRAGMA mmap_size = 0")
        mapped = nil
    }
}
