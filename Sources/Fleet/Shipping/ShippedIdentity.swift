internal import Storage

/// What shipping gave a trace: its identity, and the labels of its sessions.
struct ShippedIdentity {
    /// The identity of the recorder; nil where the trace was never shipped.
    private(set) var recorder: String?
    /// The labels of the sessions that have any, in the order of their names.
    private(set) var labels: [Int64: [Label]] = [:]

    /// Reads it for the trace at `trace`, also while that is shipped.
    init(trace: String) throws(FleetError) {
        do {
            guard let ledger = try ShippingLedger.open(toReadOf: trace) else { return }
            recorder = try ledger.text("SELECT value FROM fact WHERE name = 'recorder'")
            let rows = try ledger.prepare("SELECT session_id, name, value FROM label ORDER BY name")
            while try rows.step() {
                labels[rows.integer(0), default: []].append(
                    Label(name: rows.string(1), value: rows.string(2)))
            }
        } catch {
            throw ShippingLedger.error(error, ShippingLedger.path(of: trace))
        }
    }
}
