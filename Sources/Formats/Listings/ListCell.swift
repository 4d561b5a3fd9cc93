internal import Notation

/// A value in a table of a listing, which knows how it compares.
public enum ListCell: Hashable, Sendable {
    /// Nothing.
    case none
    /// A number.
    case number(Int64)
    /// A time span or a time since the start of the session, in nanoseconds.
    case nanoseconds(Int64)
    /// A number of bytes.
    case bytes(Int64)
    /// A time of the wall clock, in nanoseconds since 1970.
    case clock(Int64)
    /// Text.
    case text(String)

    /// Whether it is smaller than `other`: nothing before numbers, numbers before texts.
    public func precedes(_ other: ListCell) -> Bool {
        switch (self, other) {
        case (.text(let a), .text(let b)): a < b
        case (.text, _): false
        case (_, .text): true
        default: (amount ?? .min) < (other.amount ?? .min)
        }
    }

    /// What it is for programs: a clock is text in UTC.
    var exported: ExportedRow.Cell {
        switch self {
        case .none: .null
        case .number(let value), .nanoseconds(let value), .bytes(let value): .integer(value)
        case .clock(let value): .text(Timestamp(unixNanoseconds: value).text(digits: 6))
        case .text(let value): .text(value)
        }
    }

    private var amount: Int64? {
        switch self {
        case .none, .text: nil
        case .number(let value), .nanoseconds(let value), .bytes(let value), .clock(let value):
            value
        }
    }
}
