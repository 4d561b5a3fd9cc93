internal import Storage

extension ReplayReader {
    /// The addresses at which tapedeck took a server's place, `HOST:PORT`: what recorded clients
    /// knew as the server.
    public func listeners() throws(TraceError) -> [String] {
        try reader.reported { () throws(StorageFault) in
            try reader.list(
                "SELECT DISTINCT listener FROM connection WHERE mode = 'reverse'", []
            ) { $0.string(0) }
        }
    }

    /// Reads what the trace says now, whatever is written to it later.
    ///
    /// One transaction for all that is read spares each statement the locks and the look for changes,
    /// which take longer than most reads. Meanwhile a writer's log is not emptied. The file is mapped
    /// from here on, which is faster than to read it, but pages that were looked at are let go of.
    public func holdSnapshot() throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            try map()
            try db.execute("BEGIN")
            // The first read takes the lock.
            _ = try db.integer("SELECT count(*) FROM session")
        }
    }

    /// Contents that are read before mapped pages are let go of.
    ///
    /// The kernel maps 64 KiB around a page that is asked for: 64 MiB at most with small contents.
    private static let maxMapped = 1_000

    /// Keeps memory bounded: pages that are mapped count as memory in use until they are let go of.
    func countMapped(_ contents: Int) throws(StorageFault) {
        guard let count = mapped else { return }
        mapped = count + contents
        if count >= Self.maxMapped { try map() }
    }

    /// Maps the file anew, the first 2 GiB of it, which is as much as SQLite can.
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
