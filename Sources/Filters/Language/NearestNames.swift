/// Finds the names nearest to a mistyped one.
package enum NearestNames {
    /// The names nearest to `name`, best first, at most three; none that is too far to be meant.
    package static func of(_ name: String, among names: some Sequence<String>) -> [String] {
        guard name.utf8.count <= 40 else { return [] }
        let limit = max(1, name.utf8.count / 3)
        return names.map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .prefix(3).map(\.name)
    }

    /// The question that follows "there is no …"; empty where no name is near.
    package static func question(_ nearest: [String]) -> String {
        guard let last = nearest.last else { return "" }
        let others = nearest.dropLast().joined(separator: ", ")
        return "; did you mean " + (others.isEmpty ? last : "\(others) or \(last)") + "?"
    }

    /// How many insertions, deletions, replacements and swaps of neighbours make `b` of `a`.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var above = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(above[j] + (a[i] == b[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, before[j - 1] + 1)
                }
                row.append(best)
            }
            (before, above) = (above, row)
        }
        return above.last ?? 0
    }
}
