/// Batches of which it is unknown whether the server has them.
extension Shipper {
    /// Has the server have a batch of which it is unknown whether it has it.
    func settle(_ batch: Batch) throws(FleetError) {
        var waited: Int64 = 0
        var pause: Int64 = 100_000_000
        while true {
            try checkStop()
            do throws(FleetError) {
                return try settleOnce(batch)
            } catch {
                guard error.mayPass, waited < patience else { throw error }
                surroundings.wait(pause)
                waited += pause
                pause = min(pause * 2, 10_000_000_000)
            }
        }
    }

    private func settleOnce(_ batch: Batch) throws(FleetError) {
        try awaitEnd(of: batch)
        let count = try self.count(batch)
        if count == 0 {
            try send(batch, try again(batch))
            let now = try self.count(batch)
            if now == 0, server.address.isReplicated { throw elsewhere(batch) }
            guard now == batch.rows else { throw conflict(batch, now) }
        } else if count != batch.rows {
            throw conflict(batch, count)
        }
        try finish(batch)
    }

    private func count(_ batch: Batch) throws(FleetError) -> Int64 {
        try server.number(
            "SELECT count() FROM \(batch.table) WHERE \(batch.condition(recorder))")
    }

    private func conflict(_ batch: Batch, _ count: Int64) -> FleetError {
        FleetError(
            .conflict,
            "\(server.address) has \(count) of the \(batch.rows) rows of batch \(batch.number) of recorder \(recorder) in \(batch.table): somebody changed them; restore them or delete all of that batch"
        )
    }

    /// A block that replicas know is not written again, though the one that has it may not be there.
    private func elsewhere(_ batch: Batch) -> FleetError {
        FleetError(
            .busy,
            "\(server.address.place) has not fetched batch \(batch.number) of recorder \(recorder) in \(batch.table) yet from the replica that has it: have that one run"
        )
    }

    /// Waits until the server does not run the query of a batch, and ends it after ten seconds.
    private func awaitEnd(of batch: Batch) throws(FleetError) {
        let id = TabSeparated.literal(batch.queryID(recorder))
        let processes =
            server.address.cluster.map { "cluster('\($0)', system, processes)" }
            ?? "system.processes"
        for turn in 0..<200 {
            let running = try server.number(
                "SELECT count() FROM \(processes) WHERE query_id = \(id) OR initial_query_id = \(id)"
            )
            if running == 0 { return }
            try checkStop()
            if turn == 100 {
                try server.run("KILL QUERY WHERE query_id = \(id) ASYNC")
            }
            surroundings.wait(100_000_000)
        }
        throw FleetError(
            .busy,
            "\(server.address.place) has been running the query of batch \(batch.number) for long")
    }

    /// The rows of a batch, cut as it was planned.
    private func again(_ batch: Batch) throws(FleetError) -> RowBinary {
        guard let table = FleetTables.named(batch.table) else {
            throw FleetError(
                .storage, "\(ledger.path) names a table \(batch.table) that is unknown")
        }
        let days = try rows.encode(table, batch.numbers, only: batch.day) { _ in batch.number }
        let rows = days[batch.day]?.binary ?? RowBinary()
        guard rows.checksum == batch.checksum else {
            throw FleetError(
                .conflict,
                "rows of batch \(batch.number) in \(batch.table) of \(trace) have changed since it was planned, and the server has none of them: the trace was rebuilt or cut; move \(ledger.path) away to ship it anew as another recorder"
            )
        }
        return rows
    }
}
