internal import Dissection
internal import Wire

/// An enumeration that is stored in a column as its raw text.
protocol ColumnWord: ColumnText, RawRepresentable where RawValue == String {
    /// The case for a value that this program does not know.
    static var unknown: Self { get }
    /// The case that most rows have, which is looked for first.
    static var usual: Self { get }
}

extension ColumnWord {
    var columnText: String { rawValue }
    static var usual: Self { unknown }
    init(columnText: String) {
        // Looking among the texts of all cases takes longer than reading the column.
        let usual = Self.usual
        self = columnText == usual.rawValue ? usual : Self(rawValue: columnText) ?? .unknown
    }
}

extension SessionStart.Provenance: ColumnWord { static var unknown: Self { .proxy } }
extension ConnectionRow.Mode: ColumnWord { static var unknown: Self { .forward } }
extension EventRow.Kind: ColumnWord { static var unknown: Self { .warning } }
extension GapRow.Reason: ColumnWord { static var unknown: Self { .notCaptured } }
extension Patch.Reason: ColumnWord { static var unknown: Self { .fault } }
extension FindingRow.Severity: ColumnWord { static var unknown: Self { .info } }
extension FaultRow.Purpose: ColumnWord { static var unknown: Self { .fault } }
extension Side: ColumnWord { static var unknown: Self { .both } }
extension Fate: ColumnWord { static var unknown: Self { .same } }
extension ExchangeRow.Outcome: ColumnWord {
    static var unknown: Self { .open }
    static var usual: Self { .complete }
}
