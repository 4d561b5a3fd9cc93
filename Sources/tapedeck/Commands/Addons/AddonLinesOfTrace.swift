import Addons
import Notation
import Wire

/// Prints the marks and notes of an add-on, each with the row that it is about.
struct AddonLinesOfTrace: Sendable {
    let isJSON: Bool

    /// Prints one; `row` is the event that it is about, and nil for the session.
    func print(_ aside: AddonAside, _ row: StoredEvents.Row?) {
        let text: String
        switch aside {
        case .mark(let found), .note(let found): text = found
        case .send: return
        }
        guard isJSON else {
            let place = row.map { "\($0.name)  " } ?? ""
            return StandardOutput.write("\(aside.name)  \(place)\(ListLine.clean(text))\n")
        }
        var object = JSONObjectText()
        object.add(aside.name, text)
        object.add("event", row?.kind.rawValue)
        object.add("row", row?.number)
        object.add("at_ns", row?.at.nanoseconds)
        StandardOutput.write(object.text + "\n")
    }
}
