package import Diagnosis
import Dissection
package import Trace
package import Wire

/// Turns findings into rows of the trace.
package struct FindingRows {
    private let places: FindingPlaces

    /// For the trace of `contents`.
    package init(_ contents: ReplayReader) { places = FindingPlaces(contents) }

    /// The row of a finding, which points at where the exchange or message of its last step begins.
    package func row(_ finding: Finding) -> FindingRow {
        var row = finding.row
        let step = finding.steps.last { $0.message != nil || $0.exchange != nil }
        if let message = step?.message, let place = try? places.place(of: message) {
            (row.chunk, row.offset) = (place.chunk, place.offset)
        } else if let exchange = step?.exchange, let place = try? places.place(of: exchange) {
            (row.chunk, row.offset) = (place.chunk, place.offset)
        }
        return row
    }
}
