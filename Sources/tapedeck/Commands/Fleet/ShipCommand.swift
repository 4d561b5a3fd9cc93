import ArgumentParser
import Fleet
import Foundation

/// `tapedeck ship`.
struct ShipCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ship",
        abstract: "Ship traces to a fleet's database, exactly once.",
        discussion: """
            The trace stays as it is; beside it, TRACE.ship has what was shipped, and shipping that was \
            interrupted goes on there. The database is ClickHouse 18.16 or newer, over HTTP.

            Examples:
              tapedeck ship app.tape --to clickhouse://lab.example:8123/tapes --label app=3.2
              tapedeck ship --follow /var/tapes --to clickhouse://ship@lab.example/tapes
              tapedeck ship app.tape --status
            """)

    @Argument(help: "The traces.", completion: .file())
    var traces: [String] = []

    @Option(
        help: ArgumentHelp(
            "The fleet: clickhouse://[USER@]HOST[:PORT]/DATABASE[?secure=true&ca=FILE&cluster=NAME&replicated=true].",
            valueName: "url"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "Ship all traces (*.tape) in this folder, also new ones and while they are recorded, until a signal ends it.",
            valueName: "folder"), completion: .directory)
    var follow: String?

    @Option(
        help: ArgumentHelp(
            "With --follow: the time between two rounds (default: 5s).", valueName: "duration"))
    var every: TimeSpan?

    @OptionGroup var fleet: ShippingArguments

    @Flag(help: "Print how far traces are shipped, without a connection.")
    var status = false

    @Option(
        help: ArgumentHelp(
            "Write metrics in Prometheus' text format to this file, after each round with --follow; - is standard output.",
            valueName: "file"), completion: .file())
    var metrics: String?

    @Option(
        help: ArgumentHelp(
            "Delete days older than this (such as 30d) from the fleet, instead of shipping; where the server can, it goes on doing so.",
            valueName: "duration"))
    var keep: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "The same for the recorded bytes alone: chunks, patches and deliveries.",
            valueName: "duration"))
    var keepChunks: TimeSpan?

    func run() throws {
        do {
            try checked()
            if status { return try printStatus() }
            if keep != nil || keepChunks != nil { return try delete() }
            try ship()
        } catch let error as FleetError {
            throw Failure(error)
        }
    }

    /// Refuses what does not go together.
    private func checked() throws(Failure) {
        if to == nil, !status {
            throw Failure(.usage, "--to clickhouse://HOST:PORT/DATABASE says where to ship to")
        }
        let isDeleting = keep != nil || keepChunks != nil
        if isDeleting, !traces.isEmpty || follow != nil || status {
            throw Failure(
                .usage, "--keep and --keep-chunks go without traces, --follow and --status")
        }
        if follow != nil, !traces.isEmpty {
            throw Failure(.usage, "--follow FOLDER goes without traces")
        }
        if follow == nil, traces.isEmpty, !isDeleting {
            throw Failure(.usage, "name the traces to ship, or --follow FOLDER")
        }
        if follow == nil, every != nil { throw Failure(.usage, "--every goes with --follow") }
    }

    private func ship() throws {
        var options = try fleet.options(to: to ?? "")
        if let metrics, metrics != "-" {
            let folder = URL(fileURLWithPath: metrics).deletingLastPathComponent().path
            guard FileManager.default.isWritableFile(atPath: folder) else {
                throw Failure(.noInput, "--metrics \(metrics): its folder cannot be written")
            }
        }
        let stop = ShipStop()
        if let follow {
            // One trace does not hold up the others for long.
            options.patience = 5_000_000_000
            let shipping = FleetShipping(options, stop.surroundings)
            _ = try folder(follow)
            StandardOutput.write("shipping \(follow) to \(options.address)\n")
            return try shipping.follow(
                { () throws(FleetError) in try self.folder(follow) },
                every: every?.nanoseconds ?? 5_000_000_000, report: { self.writeMetrics($0) })
        }
        let shipping = FleetShipping(options, stop.surroundings)
        _ = try shipping.connect()
        for trace in traces {
            let (recorder, done) = try shipping.ship(trace)
            StandardOutput.write(
                "\(trace): \(Summary.count(done.rows, "row")) shipped to \(options.address) as "
                    + "recorder \(recorder)\n")
        }
        writeMetrics(traces)
    }

    /// The traces in a folder, in the order of their names.
    private func folder(_ path: String) throws(FleetError) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw FleetError(.usage, "--follow \(path) is no folder that can be read")
        }
        return names.filter { $0.hasSuffix(".tape") }.sorted().map { path + "/" + $0 }
            // One that is just being created has nothing yet.
            .filter {
                let facts = try? FileManager.default.attributesOfItem(atPath: $0)
                return (facts?[.size] as? NSNumber)?.int64Value ?? 0 > 0
            }
    }

    private func delete() throws {
        let options = try fleet.options(to: to ?? "")
        let shipping = FleetShipping(options, ShipStop().surroundings)
        let done = try shipping.delete(
            rowsOlderThan: keep?.nanoseconds, chunksOlderThan: keepChunks?.nanoseconds)
        StandardOutput.write(
            "\(Summary.count(Int64(done.partitions), "partition")) deleted at \(options.address)\n"
                + (done.goesOn
                    ? "the server goes on deleting what becomes as old\n"
                    : "this server deletes nothing by itself: run this once a day\n"))
    }

    // MARK: Status

    private func printStatus() throws {
        let all = try (follow.map { try folder($0) } ?? traces).map {
            try ShippingStatus(trace: $0)
        }
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        if let metrics {
            let text = ShippingStatus.metrics(all, unixNow: now)
            return metrics == "-" ? StandardOutput.write(text) : writeMetrics(text, to: metrics)
        }
        for status in all { StandardOutput.write(ShipText.status(status, unixNow: now)) }
    }

    private func writeMetrics(_ traces: [String]) {
        guard let metrics else { return }
        let all = traces.compactMap { try? ShippingStatus(trace: $0) }
        let text = ShippingStatus.metrics(
            all, unixNow: Int64(Date().timeIntervalSince1970 * 1e9))
        metrics == "-" ? StandardOutput.write(text) : writeMetrics(text, to: metrics)
    }

    private func writeMetrics(_ text: String, to path: String) {
        do {
            // All or nothing, since something else reads it.
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            StandardError.write("tapedeck: \(path) cannot be written: make room on the disk\n")
        }
    }
}
