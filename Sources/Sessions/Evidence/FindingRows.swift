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
        if let place = place(of: finding.steps) {
            (row.chunk, row.offset) = (place.chunk, place.offset)
        }
        return row
    }

    /// The row of what could not be decided, which points at where the wait began.
    package func row(_ duty: UndecidedDuty) -> UndecidedRow {
        var row = duty.row
        if let place = place(of: duty.steps) {
            (row.chunk, row.offset) = (place.chunk, place.offset)
        }
        return row
    }

    /// Where the exchange or message of the last step begins.
    private func place(of steps: [FindingStep]) -> Place? {
        let step = steps.last { $0.message != nil || $0.exchange != nil }
        if let message = step?.message, let place = try? places.place(of: message) { return place }
        return step?.exchange.flatMap { try? places.place(of: $0) }
    }
}
