internal import Foundation
internal import Notation
internal import Platform
internal import Trace

/// Ships one trace to a fleet, exactly once.
///
/// Theory of operation: what is final and in no batch is cut into batches, each of rows of one table
/// and one day; the batches are written to the ``ShippingLedger`` and then sent, one at a time, each
/// as one block under its name as the identifier of the query. ClickHouse takes a block of one
/// partition as a whole or not at all. The query inserts nothing where rows of it did not arrive or
/// one is there, and the server runs no two queries of one identifier at once: so a query that arrives late, after
/// its answer was lost and the batch was sent again, changes nothing. Where it is unknown whether the
/// server has a batch, the rows of the batch are counted, after its query has ended.
///
/// For one thread at a time, which it blocks.
public final class Shipper {
    /// What happens while it ships.
    public struct Surroundings {
        /// The wall clock, nanoseconds since 1970.
        public var unixNow: @Sendable () -> Int64
        /// Waits so many nanoseconds, or less when it is to stop.
        public var wait: (Int64) -> Void
        /// Whether it is to stop.
        public var isStopped: () -> Bool
        /// Takes a line for the user.
        public var say: (String) -> Void

        /// Surroundings of these.
        public init(
            unixNow: @escaping @Sendable () -> Int64, wait: @escaping (Int64) -> Void,
            isStopped: @escaping () -> Bool, say: @escaping (String) -> Void
        ) {
            self.unixNow = unixNow
            self.wait = wait
            self.isStopped = isStopped
            self.say = say
        }
    }

    /// What was sent by one call.
    public struct Progress: Hashable, Sendable {
        /// Batches.
        public var batches = 0
        /// Rows.
        public var rows: Int64 = 0
        /// Bytes of the rows.
        public var bytes: Int64 = 0
        /// Exchanges.
        public var exchanges: Int64 = 0
    }

    /// The trace.
    public let trace: String
    /// The identity of its recorder, a UUID.
    public let recorder: String
    let server: ClickHouse
    let surroundings: Surroundings
    let ledger: ShippingLedger
    private let labels: [Label]
    private let secrets: ShippedSecrets
    private let probe: WriterProbe
    /// The trace as it was recorded.
    let recorded: ShippedRows
    /// What is shipped: that, or its redacted copy.
    var rows: ShippedRows
    /// How long a failure that may pass is waited for, in nanoseconds.
    let patience: Int64
    private var progress = Progress()

    /// A shipper of the trace at `trace`, whose schema is prepared.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - server: The server.
    ///   - labels: Labels of the sessions that have not been shipped.
    ///   - secrets: What becomes of secrets.
    ///   - patience: How long a failure that may pass is waited for, in nanoseconds.
    ///   - surroundings: Clock, waiting, and where lines go.
    /// - Throws: ``FleetError``.
    public init(
        trace: String, server: ClickHouse, labels: [Label], secrets: ShippedSecrets,
        patience: Int64, _ surroundings: Surroundings
    ) throws(FleetError) {
        self.trace = trace
        self.server = server
        self.labels = labels
        self.secrets = secrets
        self.patience = patience
        self.surroundings = surroundings
        probe = WriterProbe(trace)
        let ledger = try ShippingLedger(trace: trace)
        self.ledger = ledger
        recorder = try Self.recorder(ledger)
        recorded = try ShippedRows(path: trace, recorder: recorder) { try ledger.labels(of: $0) }
        rows = recorded
        try checkOwner()
    }

    deinit {
        // Before the probe, whose end would drop the locks of these.
        rows.close()
        recorded.close()
    }

    private static func recorder(_ ledger: ShippingLedger) throws(FleetError) -> String {
        if let known = try ledger.fact("recorder") { return known }
        let made = UUID().uuidString.lowercased()
        try ledger.set("recorder", made)
        return made
    }

    /// Refuses a ledger of another trace or another fleet, and a second ledger of a shipped trace.
    private func checkOwner() throws(FleetError) {
        let address = server.address.description
        let cluster = server.address.cluster.map { "\($0)/\(server.address.database)" }
        if let known = try ledger.fact("address"), known != address {
            // A replica may not have what another one has; the same tables may have another address by now.
            var isKnown = false
            if let cluster { isKnown = try ledger.fact("cluster") == cluster }
            if !isKnown { isKnown = try knowsRecorder() }
            guard isKnown else {
                throw FleetError(
                    .usage,
                    "\(trace) is shipped to \(known), and \(address) has nothing of it; to ship it there as well, copy the trace without \(ledger.path)"
                )
            }
            try own(address, cluster)
        }
        guard let first = try recorded.sessions().first else { return }
        let started = String(first.startedUnixNanoseconds)
        if let known = try ledger.fact("started") {
            guard known == started else {
                throw FleetError(
                    .usage,
                    "\(ledger.path) belongs to another trace than \(trace): move it to where that is, or away to ship this one anew"
                )
            }
            return
        }
        let others = try server.rows(
            """
            SELECT recorder FROM session WHERE at_unix_ns = \(started)
            AND day = \(DayText.literal(DayText.day(first.startedUnixNanoseconds)))
            AND id = \(first.id) AND arguments = \(TabSeparated.literal(first.arguments))
            AND recorder <> \(TabSeparated.literal(recorder)) LIMIT 1
            """)
        if let other = others.first?.first ?? nil {
            throw FleetError(
                .conflict,
                "\(trace) was shipped before, as recorder \(other), and its \(ledger.path) is missing: put that back"
            )
        }
        try own(address, cluster)
        try ledger.set("started", started)
        try ledger.set("first_gap", String(try recorded.lastGap()))
    }

    /// Remembers where the trace is shipped to: an address is never there without its cluster, by
    /// which another replica is known.
    private func own(_ address: String, _ cluster: String?) throws(FleetError) {
        if let cluster { try ledger.set("cluster", cluster) }
        try ledger.set("address", address)
    }

    private func knowsRecorder() throws(FleetError) -> Bool {
        try server.number(
            "SELECT count() FROM session WHERE recorder = \(TabSeparated.literal(recorder))") > 0
    }

    /// Refuses to ship some rows redacted and others as they were recorded.
    private func checkSecrets() throws(FleetError) {
        let mode =
            switch secrets {
            case .redacted: "redacted"
            case .kept: "with secrets"
            }
        if let known = try ledger.fact("mode"), known != mode {
            throw FleetError(
                .usage,
                "\(trace) is shipped \(known) since its first session; ship it so, or a copy of it without \(ledger.path)"
            )
        }
        try ledger.set("mode", mode)
    }

    /// The state of the trace that was shipped last; nil where something was left.
    private var shippedState: Int64?

    /// Whether the trace was being written when it was looked at last.
    public private(set) var isLive = false

    /// Whether the trace has changed since it was shipped last.
    ///
    /// - Throws: ``FleetError``.
    public func hasNews() throws(FleetError) -> Bool {
        let wasLive = isLive
        isLive = probe.isWritten()
        let state = try recorded.state()
        return shippedState != state || wasLive != isLive
    }

    /// Ships what is final and has not been shipped.
    ///
    /// - Returns: What was sent.
    /// - Throws: ``FleetError``; with code `stopped` where the caller asked for that.
    @discardableResult public func ship() throws(FleetError) -> Progress {
        progress = Progress()
        try checkSecrets()
        shippedState = nil
        let state = try recorded.state()
        isLive = probe.isWritten()
        let sessions = try recorded.sessions()
        for session in sessions where !labels.isEmpty { try ledger.label(session.id, labels) }
        let live = isLive ? sessions.last.flatMap { $0.hasEnded ? nil : $0.id } : nil
        switch secrets {
        case .kept: try ship(recorded, FleetUnit.all, sessions: nil, live: live)
        case .redacted(let options, let key):
            let copy = RedactedCopy(of: trace, ledger)
            let ended = live.map { $0 - 1 } ?? sessions.last?.id ?? 0
            while let upto = try copy.prepare(
                ended: ended, options, key: key, isStopped: surroundings.isStopped)
            {
                try ship(
                    try rows(of: copy), FleetUnit.all, sessions: try copy.shipped() + 1...upto,
                    live: nil)
                try copy.finish(upto)
            }
            let done = try copy.shipped()
            if done > 0, try isLate(upto: done) {
                try copy.prepareAgain(options, key: key, isStopped: surroundings.isStopped)
                try ship(try rows(of: copy), FleetUnit.late, sessions: 1...done, live: nil)
                copy.remove()
            }
        }
        try withdraw()
        shippedState = state
        return progress
    }

    /// The rows of a redacted copy.
    private func rows(of copy: RedactedCopy) throws(FleetError) -> ShippedRows {
        let ledger = ledger
        return try ShippedRows(path: copy.path, recorder: recorder) {
            try ledger.labels(of: $0)
        }
    }

    /// Whether something was stated about sessions after they were shipped, or was being shipped.
    private func isLate(upto session: Int64) throws(FleetError) -> Bool {
        if try !ledger.openBatches().isEmpty { return true }
        for unit in FleetUnit.late {
            let found = try recorded.ready(
                unit, open: try ledger.openNumbers(of: unit.name), live: nil,
                sessions: 1...session, lastGap: 0, size: 0)
            if !found.numbers.isEmpty { return true }
        }
        return false
    }

    /// Ships what is final of `rows` and belongs to `units`.
    private func ship(
        _ rows: ShippedRows, _ units: [FleetUnit], sessions: ClosedRange<Int64>?, live: Int64?
    ) throws(FleetError) {
        self.rows = rows
        for batch in try ledger.openBatches() { try settle(batch) }
        for unit in units { while try ship(unit, sessions: sessions, live: live) {} }
        let chunks = try ledger.openNumbers(of: FleetTables.chunk.name)
        var safe = (chunks.first ?? 1) - 1
        for unit in FleetUnit.all {
            guard let place = unit.place else { continue }
            let open = try ledger.openNumbers(of: unit.name)
            if let first = try rows.first(place, of: unit, in: open, sessions: sessions) {
                safe = min(safe, first - 1)
            }
        }
        try ledger.set(ShippedBound.fact, String(safe))
    }

    // MARK: Batches

    /// Bytes of rows that are in memory at a time, about.
    private static let planSize = 8 << 20

    /// Ships some rows of a unit; returns whether there may be more.
    private func ship(
        _ unit: FleetUnit, sessions: ClosedRange<Int64>?, live: Int64?
    ) throws(FleetError) -> Bool {
        try checkStop()
        let name = Self.name(unit, sessions)
        var open = try ledger.openNumbers(of: name)
        var isMore = false
        var planned: [(batch: Batch, rows: RowBinary)] = []
        let rows = rows
        let ledger = ledger
        try rows.snapshot {
            let ready = try rows.ready(
                unit, open: open, live: live, sessions: sessions,
                lastGap: Int64(try ledger.fact("first_gap") ?? "") ?? 0, size: Self.planSize)
            isMore = ready.isMore
            guard let last = ready.numbers.last else { return }
            var next = try ledger.nextBatch()
            for table in unit.tables {
                var numbers: [Int: Int64] = [:]
                let days = try rows.encode(table, ready.numbers, only: nil) { day in
                    let number = next
                    next += 1
                    numbers[day] = number
                    return number
                }
                for (day, encoded) in days.sorted(by: { $0.key < $1.key }) {
                    guard let number = numbers[day] else { continue }
                    planned.append(
                        (
                            Batch(
                                number: number, unit: unit.name, table: table.name, day: day,
                                numbers: ready.numbers, rows: encoded.rows,
                                size: Int64(encoded.binary.count),
                                checksum: encoded.binary.checksum,
                                sessions: encoded.sessions ?? 0...0), encoded.binary
                        ))
                }
            }
            if case .inOrder = unit.readiness {
                open.subtract(NumberRanges(1...last))
            } else {
                open.subtract(ready.numbers)
            }
            try ledger.plan(planned.map(\.batch), unit: name, open: open)
        }
        for (batch, rows) in planned {
            do throws(FleetError) {
                try send(batch, rows)
                try finish(batch)
            } catch {
                guard error.mayPass else { throw error }
                surroundings.say("\(error.reason); trying again")
                try settle(batch)
            }
        }
        return isMore
    }

    /// The name under which the ledger has a unit.
    ///
    /// Redaction marks each session, under numbers that later marks have in the next copy.
    private static func name(_ unit: FleetUnit, _ sessions: ClosedRange<Int64>?) -> String {
        guard unit.name == FleetTables.mark.name, let sessions else { return unit.name }
        return "\(unit.name)/\(sessions.upperBound)"
    }

    /// Sends a batch, on the condition that all of its rows arrive and none of them is there.
    func send(_ batch: Batch, _ rows: RowBinary) throws(FleetError) {
        guard let table = FleetTables.named(batch.table) else {
            throw FleetError(
                .storage, "\(ledger.path) names a table \(batch.table) that is unknown")
        }
        try server.run(
            """
            INSERT INTO \(table.name) (\(table.columnList)) SELECT * FROM data \
            WHERE (SELECT count() FROM data) = \(batch.rows) AND \
            (SELECT count() FROM \(table.name) WHERE \(batch.condition(recorder))) = 0
            """, structure: table.structure, rows: rows, id: batch.queryID(recorder),
            settings: Self.oneBlock + (server.address.cluster == nil ? [] : Self.atOnce))
    }

    /// Settings that make one block of all rows of a query.
    private static let oneBlock: [ClickHouse.Setting] = [
        ("max_threads", "1"), ("max_block_size", "1000000"),
        ("max_insert_block_size", "100000000"), ("min_insert_block_size_rows", "100000000"),
        ("min_insert_block_size_bytes", "10000000000"),
    ]

    /// Settings that have a cluster answer when the shard has the rows.
    private static let atOnce: [ClickHouse.Setting] = [("insert_distributed_sync", "1")]

    func finish(_ batch: Batch) throws(FleetError) {
        try ledger.finish(batch, unixNanoseconds: surroundings.unixNow())
        progress.batches += 1
        progress.rows += batch.rows
        progress.bytes += batch.size
        if batch.table == FleetTables.exchange.name { progress.exchanges += batch.rows }
    }

    func checkStop() throws(FleetError) {
        if surroundings.isStopped() { throw FleetError(.stopped, "stopped") }
    }
}
