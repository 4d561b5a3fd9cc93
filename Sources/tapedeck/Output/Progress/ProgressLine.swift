import Trace

/// The progress of a command, on a terminal, until it is done or ended by a signal.
final class ProgressLine {
    private let verb: String
    private let isOver = Flagged()
    private var shown = 0
    private let estimate = ProgressEstimate()

    init(_ verb: String) {
        self.verb = verb
        StopSignal().whenStopped { [isOver] in isOver.set() }
    }

    /// Shows `share`, in 0...1, and returns whether to go on.
    func show(_ share: Double) -> Bool {
        show("\(Int(share * 100)) %" + estimate.text(share: share))
    }

    /// Shows `state` and returns whether to go on.
    func show(_ state: String) -> Bool {
        if StandardError.isTerminal {
            let text = "\(verb): \(state)"
            let blanks = String(repeating: " ", count: max(0, shown - text.count))
            StandardError.write("\r\(text)\(blanks)")
            shown = text.count
        }
        return !isOver.isSet
    }

    /// Ends the line.
    func end() {
        if shown > 0 { StandardError.write("\n") }
        shown = 0
    }
}
