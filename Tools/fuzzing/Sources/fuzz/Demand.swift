/// Says what does not hold to `fail`, which libFuzzer's main program and the tests have each in
/// their own way, unless `condition` holds.
func demand(_ condition: Bool, _ detail: @autoclosure () -> String) {
    guard !condition else { return }
    fail("does not hold: \(detail())")
}

/// Demands that two ways to the same thing agree, and shows where they part.
func demandSame<Value: Equatable>(
    _ a: [Value], _ b: [Value], _ detail: @autoclosure () -> String
) {
    guard a != b else { return }
    let place = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    let left = place < a.count ? "\(a[place])" : "nothing"
    let right = place < b.count ? "\(b[place])" : "nothing"
    demand(false, "\(detail()), at \(place) of \(a.count) and \(b.count):\n\(left)\n\(right)")
}
