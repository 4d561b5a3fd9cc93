import Notation

/// What `tapedeck doctor` finds out about one thing.
struct Examination: Hashable {
    /// How it is.
    enum State: String {
        /// In order.
        case ok
        /// Something does not work, or only for some.
        case warning
        /// Nothing works as it is.
        case failed
    }

    /// What was looked at.
    let name: String
    /// How it is.
    let state: State
    /// What was found.
    let detail: String
    /// What to do; nil where nothing is to be done.
    let advice: String?

    /// In order.
    static func ok(_ name: String, _ detail: String) -> Self {
        Self(name: name, state: .ok, detail: detail, advice: nil)
    }

    /// Not in order for some uses.
    static func warning(_ name: String, _ detail: String, _ advice: String) -> Self {
        Self(name: name, state: .warning, detail: detail, advice: advice)
    }

    /// Not in order.
    static func failed(_ name: String, _ detail: String, _ advice: String) -> Self {
        Self(name: name, state: .failed, detail: detail, advice: advice)
    }

    /// One line, and one for the advice.
    func text(width: Int, hasColour: Bool) -> String {
        let colour =
            switch state {
            case .ok: 32
            case .warning: 33
            case .failed: 31
            }
        let mark = ListLine.pad(state.rawValue, 7)
        let painted = hasColour ? "\u{1B}[\(colour)m\(mark)\u{1B}[0m" : mark
        let line = "\(painted)  \(ListLine.pad(name, width))  \(ListLine.clean(detail))\n"
        guard let advice else { return line }
        return line + String(repeating: " ", count: width + 11) + "\(ListLine.clean(advice))\n"
    }

    /// An object.
    var json: String {
        var object = JSONObjectText()
        object.add("name", name)
        object.add("state", state.rawValue)
        object.add("detail", detail)
        object.add("advice", advice)
        return object.text
    }
}
