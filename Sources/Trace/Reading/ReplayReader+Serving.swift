internal import Storage

extension ReplayReader {
    /// The addresses at which tapedeck took a server's place, `HOST:PORT`: what recorded clients
    /// knew as the server.
    public func listeners() throws(TraceError) -> [String] {
        try reader.told { () throws(StorageFault) in
            try reader.list(
                "SELECT DISTINCT listener FROM connection WHERE mode = 'reverse'", []
            ) { $0.string(0) }
        }
    }

    /// Reads what the trace says now, whatever is written to it later.
    ///
    /// One transaction for all that is read spares each statement the locks and the look for changes,
    /// which take longer than most reads. Meanwhile a writer's log is not emptied.
    public func holdSnapshot() throws(TraceError) {
        try reader.told { () throws(StorageFault) in
            try db.execute("BEGIN")
            // The first read takes the lock.
            _ = try db.integer("SELECT count(*) FROM session")
        }
    }
}
