/// Rows that the trace has no more.
extension Shipper {
    /// Deletes findings from the fleet that another diagnosis of the trace has replaced.
    ///
    /// On a cluster each shard would have to be asked, so they stay there.
    func withdraw() throws(FleetError) {
        guard server.address.cluster == nil else { return }
        for unit in FleetUnit.replaced {
            let open = try ledger.openNumbers(of: unit.name)
            guard let last = open.ranges.last?.lowerBound, last > 1 else { continue }
            var gone = NumberRanges(1...last - 1)
            gone.subtract(open)
            gone.subtract(try recorded.numbers(of: unit))
            let fact = "withdrawn_\(unit.name)"
            let before = try ledger.fact(fact).flatMap { NumberRanges($0) } ?? NumberRanges()
            var new = gone
            new.subtract(before)
            guard !new.isEmpty else { continue }
            let conditions = new.ranges.map {
                "(\(unit.lead.key) >= \($0.lowerBound) AND \(unit.lead.key) <= \($0.upperBound))"
            }
            // Deleting once more deletes nothing, so a lost answer does no harm.
            try server.run(
                """
                ALTER TABLE \(unit.name) DELETE WHERE recorder = \(TabSeparated.literal(recorder)) \
                AND (\(conditions.joined(separator: " OR ")))
                """)
            try ledger.set(fact, gone.description)
        }
    }
}
