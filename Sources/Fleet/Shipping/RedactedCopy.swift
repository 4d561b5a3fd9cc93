internal import Platform
internal import Redaction
internal import Trace

/// The redacted copy of a trace, which is there for as long as rows of it have to be shipped.
///
/// What is secret is known when all has been seen, so whole sessions are redacted, after they have
/// ended. The copy stays until all of its rows are on the server: cut again after a crash, batches
/// have the same bytes.
struct RedactedCopy {
    /// Its path.
    let path: String
    private let trace: String
    private let ledger: ShippingLedger

    /// The copy of the trace at `trace`.
    init(of trace: String, _ ledger: ShippingLedger) {
        path = trace + ".ship-redacted"
        self.trace = trace
        self.ledger = ledger
    }

    /// The last session that was shipped, 0 for none.
    func shipped() throws(FleetError) -> Int64 {
        try ledger.fact("shipped_session").flatMap { Int64($0) } ?? 0
    }

    /// Makes the copy, or takes the one that is there.
    ///
    /// - Parameters:
    ///   - ended: The last session that has ended, with all before it.
    ///   - options: What counts as a secret.
    ///   - key: The key of the fleet; nil for the trace's own.
    ///   - isStopped: Whether to stop.
    /// - Returns: The last session of which the copy has all rows; nil where all were shipped.
    /// - Throws: ``FleetError``.
    func prepare(
        ended: Int64, _ options: RedactionOptions, key: FleetKey?, isStopped: () -> Bool
    ) throws(FleetError) -> Int64? {
        let begun = try ledger.fact("copied_session").flatMap { Int64($0) } ?? 0
        let done = try shipped()
        if begun > done, access(path, R_OK) == 0 { return begun }
        let upto = begun > done ? begun : ended
        guard upto > done else { return nil }
        try ledger.set("copied_session", String(upto))
        try make(options, key: key, isStopped: isStopped)
        return upto
    }

    /// Makes the copy, in place of one that is there.
    private func make(
        _ options: RedactionOptions, key: FleetKey?, isStopped: () -> Bool
    ) throws(FleetError) {
        let key: FleetKey = if let key { key } else { try self.key() }
        do {
            TraceFiles.remove(path)
            try Redaction(options: options, key: key.bytes).write(from: trace, to: path) { _ in
                !isStopped()
            }
        } catch {
            if error.code == .stopped { throw FleetError(.stopped, "stopped") }
            throw FleetError(.storage, "\(trace) cannot be redacted: \(error.reason)")
        }
    }

    /// Makes a copy for what came after sessions were shipped, or takes the one that is there.
    func prepareAgain(
        _ options: RedactionOptions, key: FleetKey?, isStopped: () -> Bool
    ) throws(FleetError) {
        guard access(path, R_OK) != 0 else { return }
        try make(options, key: key, isStopped: isStopped)
    }

    /// Removes the copy.
    func remove() { TraceFiles.remove(path) }

    /// Notes that all sessions up to `session` are shipped, and removes the copy.
    func finish(_ session: Int64) throws(FleetError) {
        try ledger.set("shipped_session", String(session))
        TraceFiles.remove(path)
    }

    private func key() throws(FleetError) -> FleetKey {
        if let known = try ledger.fact("key").flatMap({ FleetKey(hexadecimal: $0) }) {
            return known
        }
        let made = FleetKey()
        try ledger.set("key", made.hexadecimal)
        return made
    }
}
