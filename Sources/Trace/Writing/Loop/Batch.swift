internal import Dissection
internal import Wire

/// The records of one transaction.
///
/// Decoded before it is written, so that a commit which fails can be tried again without decoding
/// the same bytes twice.
struct Batch {
    var records: ArraySlice<Record>
    var rows: [DerivedRow] = []

    /// Bytes of memory that its records took while they waited.
    var cost: Int { records.reduce(0) { $0 + $1.cost } }
}

extension Record {
    /// Bytes of memory that the record takes while it waits, roughly.
    var cost: Int {
        switch self {
        case .chunk(let chunk):
            chunk.patches.reduce(into: chunk.bytes.count + 64 * chunk.deliveries.count) {
                $0 += $1.inserted.count + 64
            }
                + Self.overhead
        case .event(let event): event.detail.utf8.count + Self.overhead
        case .fault: 2 * Self.overhead
        case .packet(let packet): packet.bytes.count + Self.overhead
        case .secret(let secret): secret.keyLog.count + Self.overhead
        default: 2 * Self.overhead
        }
    }

    /// Whether it is a fault.
    var isFault: Bool { if case .fault = self { true } else { false } }

    /// The overhead of a record: the enum itself, array headers, malloc's share.
    private static let overhead = 192
}
