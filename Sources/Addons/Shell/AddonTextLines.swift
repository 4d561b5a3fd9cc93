/// What an add-on writes for people, as lines that a terminal may show.
///
/// Bounded: long lines are cut, and of a flood a number of lines each second is shown.
struct AddonTextLines {
    /// Bytes of a line that are shown.
    static let longest = 2_000
    /// Lines that are shown of each second.
    static let linesEachSecond = 100

    private var started: [UInt8] = []
    private var isCut = false
    private var second: Int64 = 0
    private var shown = 0
    private var skipped = 0

    /// Takes what was read at a time, and passes on each line to be shown.
    mutating func feed(_ bytes: [UInt8], second: Int64, _ show: (String) -> Void) {
        if second != self.second {
            self.second = second
            sayWhatWasSkipped(show)
            shown = 0
        }
        for byte in bytes {
            if byte == 0x0A {
                end(show)
            } else if started.count < Self.longest {
                started.append(byte)
            } else {
                isCut = true
            }
        }
    }

    /// Shows what is left.
    mutating func finish(_ show: (String) -> Void) {
        if !started.isEmpty { end(show) }
        sayWhatWasSkipped(show)
    }

    private mutating func sayWhatWasSkipped(_ show: (String) -> Void) {
        if skipped > 0 { show("\(skipped) line\(skipped == 1 ? "" : "s") skipped") }
        skipped = 0
    }

    private mutating func end(_ show: (String) -> Void) {
        defer {
            started = []
            isCut = false
        }
        guard shown < Self.linesEachSecond else {
            skipped += 1
            return
        }
        shown += 1
        // A terminal obeys control characters.
        let text = String(decoding: started, as: UTF8.self).unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control && scalar != "\t"
                ? "\u{FFFD}" : String(scalar)
        }.joined()
        show(isCut ? text + "…" : text)
    }
}
