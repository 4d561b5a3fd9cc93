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
    /// which take longer than most reads. Meanwhile a writer's log is not emptied.
    public func holdSnapshot() throws(TraceError) {
        try reader.reported { () throws(StorageFault) in
            try db.execute("BEGIN")
            // The first read takes the lock.
            _ = try db.integer("SELECT count(*) FROM session")
        }
    }
}
