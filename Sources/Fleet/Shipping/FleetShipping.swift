internal import Storage

/// Ships several traces, once or for as long as they grow.
///
/// For one thread at a time, which it blocks.
public final class FleetShipping {
    private let options: ShippingOptions
    private let surroundings: Shipper.Surroundings
    private var server: ClickHouse?
    private var shippers: [String: Shipper] = [:]
    /// Traces of which everything is shipped and that nobody writes, as they were then.
    private var finished: [String: FileStamp] = [:]
    /// The last failure of each trace, which is said once.
    private var failures: [String: String] = [:]

    /// Shipping as `options` has it.
    public init(_ options: ShippingOptions, _ surroundings: Shipper.Surroundings) {
        self.options = options
        self.surroundings = surroundings
    }

    /// The server, with its tables prepared.
    ///
    /// - Throws: ``FleetError``.
    public func connect() throws(FleetError) -> ClickHouse {
        if let server { return server }
        let made = try ClickHouse(options.address, password: options.password)
        try FleetSchema(
            made, version: try made.version(), program: options.program,
            unixNow: surroundings.unixNow
        ).prepare()
        server = made
        return made
    }

    /// Notes that the trace at `trace` is shipped: from then on its bounds evict nothing else.
    ///
    /// - Throws: ``FleetError``.
    public static func begin(_ trace: String) throws(FleetError) {
        // Beside what is no trace no ledger is made.
        try ShippedRows.open(trace).close()
        _ = try ShippingLedger(trace: trace)
    }

    /// The shipper of a trace.
    private func shipper(of trace: String) throws(FleetError) -> Shipper {
        if let known = shippers[trace] { return known }
        try Self.begin(trace)
        let made = try Shipper(
            trace: trace, server: try connect(), labels: options.labels, secrets: options.secrets,
            patience: options.patience, surroundings)
        shippers[trace] = made
        return made
    }

    /// Ships what is final of the trace at `trace` and was not shipped.
    ///
    /// - Returns: The identity of the recorder, and what was sent.
    /// - Throws: ``FleetError``.
    public func ship(
        _ trace: String
    ) throws(FleetError) -> (
        recorder: String, progress: Shipper.Progress
    ) {
        let shipper = try shipper(of: trace)
        return (shipper.recorder, try shipper.ship())
    }

    /// Ships traces again and again, until the surroundings ask to stop.
    ///
    /// A failure is said once and what failed tried again; the other traces go on.
    ///
    /// - Parameters:
    ///   - traces: The traces that there are now.
    ///   - every: Nanoseconds between two rounds.
    ///   - report: Called after each round with the traces of it.
    /// - Throws: ``FleetError`` of `traces`.
    public func follow(
        _ traces: () throws(FleetError) -> [String], every: Int64, report: ([String]) -> Void
    ) throws(FleetError) {
        var pause = every
        while !surroundings.isStopped() {
            let found = try traces()
            pause = round(found) ? every : min(max(pause * 2, every), max(every, 60_000_000_000))
            report(found)
            let known = Set(found)
            shippers = shippers.filter { known.contains($0.key) }
            finished = finished.filter { known.contains($0.key) }
            failures = failures.filter { known.contains($0.key) }
            surroundings.wait(pause)
        }
    }

    /// Ships each trace once; returns whether a server was there.
    private func round(_ traces: [String]) -> Bool {
        for trace in traces {
            let stamp = FileStamp(trace)
            if let before = finished[trace], before == stamp { continue }
            do throws(FleetError) {
                let shipper = try shipper(of: trace)
                if try shipper.hasNews() { try shipper.ship() }
                failures[trace] = nil
                guard !shipper.isLive else { continue }
                // It keeps no files open.
                finished[trace] = stamp
                shippers[trace] = nil
            } catch {
                if error.code == .stopped { return true }
                if failures[trace] != error.reason {
                    failures[trace] = error.reason
                    surroundings.say(error.reason)
                }
                if error.mayPass { return false }
                shippers[trace] = nil
            }
        }
        return true
    }

    /// Deletes days from the fleet that are older than so many nanoseconds.
    ///
    /// - Parameters:
    ///   - rows: How long all rows are kept; nil for ever.
    ///   - chunks: The same for recorded bytes; nil for as long as other rows.
    /// - Returns: How many partitions were deleted, and whether the server goes on doing so.
    /// - Throws: ``FleetError``.
    public func delete(
        rowsOlderThan rows: Int64?, chunksOlderThan chunks: Int64?
    ) throws(FleetError) -> (partitions: Int, goesOn: Bool) {
        let server = try connect()
        let day: Int64 = 86_400_000_000_000
        let retention = FleetRetention(
            server, version: try server.version(), today: DayText.day(surroundings.unixNow()))
        func days(_ nanoseconds: Int64?) -> Int? {
            nanoseconds.map { Int(($0 + day - 1) / day) }
        }
        return try retention.apply(days: days(rows), chunkDays: days(chunks))
    }
}
