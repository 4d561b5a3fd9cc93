internal import Dissection
internal import Wire

/// What is written in one transaction.
///
/// Decoded before it is written, so that a commit which fails can be tried again without decoding
/// the same bytes twice.
struct Batch {
    var records: ArraySlice<Record>
    var rows: [DerivedRow] = []
}

extension Record {
    /// Bytes of memory that the record takes while it waits, roughly.
    var cost: Int {
        switch self {
        case .chunk(let chunk):
            chunk.patches.reduce(into: chunk.bytes.count) { $0 += $1.inserted.count + 64 }
                + Self.overhead
        case .event(let event): event.says.utf8.count + Self.overhead
        default: 2 * Self.overhead
        }
    }

    /// What a record takes apart from its bytes: the enum itself, array headers, malloc's share.
    private static let overhead = 192
}
