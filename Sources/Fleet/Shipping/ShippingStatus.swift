internal import Storage
internal import Trace

/// How far a trace was shipped, from the ledger beside it and the trace itself.
public struct ShippingStatus: Hashable, Sendable {
    /// What the server has of a table.
    public struct Table: Hashable, Sendable {
        /// Its name.
        public var name: String
        /// How many batches.
        public var batches: Int64
        /// How many rows.
        public var rows: Int64
        /// Bytes of the rows as they were sent.
        public var bytes: Int64
    }

    /// The trace.
    public var trace: String
    /// The identity of the recorder; nil where it was never shipped.
    public var recorder: String?
    /// Where it is shipped to.
    public var address: String?
    /// Whether secrets were replaced.
    public var isRedacted = true
    /// What the server has, by table, in the order of shipping.
    public var tables: [Table] = []
    /// Batches that were sent and of which no answer came.
    public var openBatches: Int64 = 0
    /// Chunks that wait.
    public var waitingChunks: Int64 = 0
    /// When the oldest of these was recorded, nanoseconds since 1970; nil without any.
    public var oldestWaiting: Int64?
    /// When the server had the last batch, nanoseconds since 1970; nil for never.
    public var lastDone: Int64?

    /// Rows that the server has.
    public var rows: Int64 { tables.reduce(0) { $0 + $1.rows } }
    /// Bytes of these as they were sent.
    public var bytes: Int64 { tables.reduce(0) { $0 + $1.bytes } }

    /// The status of the trace at `trace`, also while it is recorded and shipped.
    ///
    /// - Throws: ``FleetError`` with code `storage`.
    public init(trace: String) throws(FleetError) {
        self.trace = trace
        do {
            let shipped = try readLedger()
            let db = try ShippedRows.open(trace)
            let rows = try db.prepare(
                """
                SELECT count(*), min(k.id) FROM chunk k LEFT JOIN connection o ON o.id = k.connection_id
                WHERE k.id > ? AND coalesce(o.session_id, 0) > ?
                """)
            rows.bind(1, shipped.chunk)
            rows.bind(2, shipped.session)
            guard try rows.step() else { return }
            waitingChunks = rows.integer(0)
            guard let first = rows.optionalInteger(1) else { return }
            rows.reset()
            oldestWaiting = try db.integer(
                """
                SELECT s.started_unix_ns + k.at_ns FROM chunk k
                JOIN connection o ON o.id = k.connection_id JOIN session s ON s.id = o.session_id
                WHERE k.id = \(first)
                """)
        } catch {
            throw ShippedRows.error(error, trace)
        }
    }

    /// Reads the ledger; returns the last chunk and the last session that are planned or done.
    private mutating func readLedger() throws(StorageFault) -> (chunk: Int64, session: Int64) {
        guard let db = try ShippingLedger.open(toReadOf: trace) else { return (0, 0) }
        let facts = try db.prepare("SELECT name, value FROM fact")
        var session: Int64 = 0
        while try facts.step() {
            switch facts.string(0) {
            case "recorder": recorder = facts.string(1)
            case "address": address = facts.string(1)
            case "mode": isRedacted = facts.string(1) == "redacted"
            case "shipped_session": session = Int64(facts.string(1)) ?? 0
            default: break
            }
        }
        let totals = try db.prepare(
            "SELECT table_name, batches, rows, size, done_unix_ns FROM total")
        while try totals.step() {
            tables.append(
                Table(
                    name: totals.string(0), batches: totals.integer(1), rows: totals.integer(2),
                    bytes: totals.integer(3)))
            lastDone = max(lastDone ?? 0, totals.integer(4))
        }
        let order = FleetTables.all.map(\.name)
        tables.sort {
            (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0)
        }
        openBatches = try db.integer("SELECT count(*) FROM batch")
        let open = try db.text("SELECT open FROM unit WHERE name = 'chunk'")
        let first = open.flatMap { NumberRanges($0)?.first } ?? 1
        return (first - 1, session)
    }
}

extension ShippingStatus {
    /// Metrics of traces in the text format of Prometheus.
    ///
    /// Source: "Text-based format", Prometheus' documentation of exposition formats, version 0.0.4.
    public static func metrics(_ all: [ShippingStatus], unixNow: Int64) -> String {
        var text = ""
        func metric(
            _ name: String, _ kind: String, _ help: String,
            _ values: (ShippingStatus) -> [(labels: String, value: String)]
        ) {
            text += "# HELP tapedeck_ship_\(name) \(help)\n# TYPE tapedeck_ship_\(name) \(kind)\n"
            for status in all {
                for each in values(status) {
                    text += "tapedeck_ship_\(name){\(status.labels)\(each.labels)} \(each.value)\n"
                }
            }
        }
        metric("rows_total", "counter", "Rows that the server has, by table.") { status in
            status.tables.map { (",table=\"\($0.name)\"", String($0.rows)) }
        }
        metric("bytes_total", "counter", "Bytes of these rows as they were sent, by table.") {
            $0.tables.map { (",table=\"\($0.name)\"", String($0.bytes)) }
        }
        metric("batches_total", "counter", "Batches that the server has, by table.") {
            $0.tables.map { (",table=\"\($0.name)\"", String($0.batches)) }
        }
        metric("batches_open", "gauge", "Batches of which no answer came yet.") {
            [("", String($0.openBatches))]
        }
        metric("chunks_waiting", "gauge", "Chunks of the trace that were not shipped yet.") {
            [("", String($0.waitingChunks))]
        }
        metric("oldest_waiting_seconds", "gauge", "Age of the oldest of these; 0 without any.") {
            [("", seconds($0.oldestWaiting.map { max(0, unixNow - $0) } ?? 0))]
        }
        metric("last_success_timestamp_seconds", "gauge", "When the server had the last batch.") {
            $0.lastDone.map { [("", seconds($0))] } ?? []
        }
        return text
    }

    private var labels: String {
        "trace=\"\(Self.escaped(trace))\",recorder=\"\(recorder ?? "")\""
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
