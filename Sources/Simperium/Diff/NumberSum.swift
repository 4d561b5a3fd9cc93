/// Sums of JSON numbers.
enum NumberSum {
    /// The sum: exact for whole numbers of 64 bits, as a double otherwise; nil beyond its range.
    static func add(_ a: String, _ b: String) -> String? {
        if let a = Int64(a), let b = Int64(b) {
            let (sum, overflow) = a.addingReportingOverflow(b)
            if !overflow { return String(sum) }
        }
        guard let a = Double(a), let b = Double(b) else { return nil }
        let sum = a + b
        guard sum.isFinite else { return nil }
        return sum.description
    }

    /// What has to be added to `b` for `a`; nil where they are not both whole numbers of 64 bits.
    static func difference(_ a: String, _ b: String) -> String? {
        guard let a = Int64(a), let b = Int64(b) else { return nil }
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        return overflow ? nil : String(difference)
    }
}
