@testable import Filters

/// A tree in short, for tests to compare.
func outline(_ node: FilterNode) -> String {
    switch node {
    case .always: "all"
    case .and(let nodes): "(and " + nodes.map(outline).joined(separator: " ") + ")"
    case .or(let nodes): "(or " + nodes.map(outline).joined(separator: " ") + ")"
    case .not(let inner): "(not " + outline(inner) + ")"
    case .comparison(let comparison):
        comparison.field.rawValue + (comparison.name.map { ".\($0)" } ?? "")
            + outline(comparison.test)
    }
}

private func outline(_ test: FilterTest) -> String {
    switch test {
    case .exists: "?"
    case .range(let range):
        range.lowerBound == range.upperBound
            ? "=\(range.lowerBound)"
            : "[" + (range.lowerBound == .min ? "" : "\(range.lowerBound)") + ".."
                + (range.upperBound == .max ? "" : "\(range.upperBound)") + "]"
    case .clock(let clock): "\(clock.scale) \(outline(.range(clock.range)))"
    case .equal(let text): "='\(text)'"
    case .glob(let glob): "*'\(glob.pattern)'"
    case .contains(let needle): "~'\(needle)'"
    case .regex(let regex): "/\(regex.pattern)/"
    case .words(let query): ":\(query.matchExpression)"
    }
}

/// A small generator with a seed, the same on every machine.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678 }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
