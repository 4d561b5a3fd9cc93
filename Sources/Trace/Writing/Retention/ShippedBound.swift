internal import CSQLite
internal import Notation
internal import Platform
internal import Storage

/// How far a trace was shipped: what comes after it is not evicted.
///
/// The shipper keeps a ledger beside the trace, a SQLite file with a table `fact`, and notes the
/// chunk there before which everything is on the server.
package final class ShippedBound {
    /// The name of the fact.
    package static let fact = "safe_chunk"

    /// The path of the ledger of the trace at `path`.
    package static func ledger(of path: String) -> String { path + ".ship" }

    private let path: String
    private var db: Connection?

    /// The bound of the trace at `path`.
    init(trace path: String) { self.path = Self.ledger(of: path) }

    /// The last chunk that may be evicted; nil where the trace is not shipped.
    func last() -> Int64? {
        guard db != nil || access(path, R_OK) == 0 else { return nil }
        do {
            if db == nil {
                db = try Connection(
                    path: "file:" + PercentEncoding.encode(path, keeping: .path) + "?mode=ro",
                    flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
            }
            let text = try db?.text("SELECT value FROM fact WHERE name = '\(Self.fact)'")
            return text.flatMap { Int64($0) } ?? 0
        } catch {
            // Whatever is wrong with it, nothing is known to be shipped.
            db = nil
            return 0
        }
    }
}
