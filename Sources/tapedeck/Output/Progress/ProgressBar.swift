/// A line on standard error that overwrites itself, on a terminal.
struct ProgressBar {
    /// Columns of the bar.
    private static let width = 30

    private let isShown = StandardError.isTerminal
    private var length = 0
    private let estimate = ProgressEstimate()

    /// No line yet.
    init() {}

    /// Shows a bar and a text; elsewhere than on a terminal, nothing.
    mutating func show(done: Int, of all: Int, _ text: String) {
        guard isShown else { return }
        let share = all > 0 ? Double(done) / Double(all) : 1
        let line = Self.line(done: done, of: all, text) + estimate.text(share: share)
        let rest = String(repeating: " ", count: max(0, length - line.count))
        StandardError.write("\r\(line)\(rest)")
        length = line.count
    }

    /// Erases the line, so that others can be written.
    mutating func clear() {
        guard isShown, length > 0 else { return }
        StandardError.write("\r\(String(repeating: " ", count: length))\r")
        length = 0
    }

    /// `[######....]  60 % text`.
    static func line(done: Int, of all: Int, _ text: String) -> String {
        let share = all > 0 ? min(1, max(0, Double(done) / Double(all))) : 1
        let filled = Int(share * Double(width))
        let bar =
            String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let percent = String(Int(share * 100))
        return "[\(bar)] \(String(repeating: " ", count: 3 - percent.count))\(percent) % \(text)"
    }
}
