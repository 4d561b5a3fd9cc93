/// What the lines of scripts and lists of a client have in common.
enum StepLine {
    /// The lines of a text, without their ends, which may be CR LF: one character.
    static func all(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    /// Nanoseconds of `2s`, `1.5s`, `500ms` or `1m`.
    static func nanoseconds(_ text: String) -> Int64? {
        let units = [("ms", 1e6), ("s", 1e9), ("m", 60e9)]
        for (unit, size) in units where text.hasSuffix(unit) {
            guard let number = Double(text.dropLast(unit.count)), number >= 0, number < 1e6 else {
                return nil
            }
            return Int64(number * size)
        }
        return nil
    }
}
