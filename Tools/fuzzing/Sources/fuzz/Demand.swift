internal import Glibc

/// Ends the program, which makes libFuzzer keep the input, unless `condition` holds.
func demand(_ condition: Bool, _ says: @autoclosure () -> String) {
    guard !condition else { return }
    say("does not hold: \(says())")
    abort()
}

/// Demands that two ways to the same thing agree, and shows where they part.
func demandSame<Value: Equatable>(
    _ a: [Value], _ b: [Value], _ says: @autoclosure () -> String
) {
    guard a != b else { return }
    let place = zip(a, b).enumerated().first { $1.0 != $1.1 }?.offset ?? min(a.count, b.count)
    let left = place < a.count ? "\(a[place])" : "nothing"
    let right = place < b.count ? "\(b[place])" : "nothing"
    demand(false, "\(says()), at \(place) of \(a.count) and \(b.count):\n\(left)\n\(right)")
}

/// Prints a line on standard error.
func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
