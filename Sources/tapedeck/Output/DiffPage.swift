import Notation
import Replaying
import Wire

/// Two traces side by side, as text or a JSON object per line.
///
/// Written as it comes, in the manner of `diff -u`.
struct DiffPage {
    private let isJSON: Bool
    private let hasColour: Bool
    private let context: Int
    private var counts: [ComparedItem.Change: Int] = [:]
    /// Whether any difference was found.
    private(set) var differs = false
    /// The section, until its title is printed.
    private var title: String?
    private var section = ""
    /// The last items that are the same and not printed.
    private var held: [ComparedItem] = []
    private var heldBack = 0
    /// Items that are the same and are still printed after a difference.
    private var owed = 0
    private var output = ""

    init(isJSON: Bool, hasColour: Bool, context: Int) {
        self.isJSON = isJSON
        self.hasColour = hasColour
        self.context = context
    }

    private mutating func print(_ line: String, _ colour: DiffLine.Colour? = nil) {
        output += DiffLine(line, colour).painted(hasColour) + "\n"
        if output.utf8.count > 1 << 16 { flush() }
    }

    private mutating func flush() {
        StandardOutput.write(output)
        output = ""
    }

    /// Prints what is compared.
    mutating func begin(
        _ a: (path: String, exchanges: Int, commands: Int),
        _ b: (path: String, exchanges: Int, commands: Int)
    ) {
        guard !isJSON else { return }
        for (mark, side, colour) in [("---", a, DiffLine.Colour.red), ("+++", b, .green)] {
            print(
                "\(mark) \(ListLine.clean(side.path))  \(side.exchanges) exchanges, "
                    + "\(side.commands) commands", colour)
        }
    }

    /// Takes what is found next.
    mutating func take(_ event: ComparisonEvent) {
        switch event {
        case .section(let name):
            section = name
            title = name
            (held, heldBack, owed) = ([], 0, 0)
        case .item(let item):
            counts[item.change, default: 0] += 1
            // Exchanges of several connections have no fixed order; commands of a channel do.
            if item.change.isDifference, item.change != .moved || section != "exchanges" {
                differs = true
            }
            if isJSON { json(item) } else { text(item) }
        }
    }

    // MARK: People

    private mutating func text(_ item: ComparedItem) {
        guard item.change.isDifference else {
            if owed > 0 {
                owed -= 1
                line(" ", item)
            } else {
                held.append(item)
                if held.count > context {
                    held.removeFirst()
                    heldBack += 1
                }
            }
            return
        }
        if let title {
            print("@@ \(title) @@", .cyan)
            self.title = nil
        }
        if heldBack > 0 { print("  … \(heldBack) the same") }
        for item in held { line(" ", item) }
        (held, heldBack, owed) = ([], 0, context)
        switch item.change {
        case .same: break
        case .missing: line("-", item, .red)
        case .added: line("+", item, .green)
        case .moved: line(">", item, .yellow)
        case .changed:
            line("~", item, .yellow)
            for found in item.differences {
                let what = found.part == .request || found.part == .answer ? "\(found.part) " : ""
                for line in DiffLine.lines(what, found.difference) { print(line.text, line.colour) }
            }
            if item.isCut { print("      … and more") }
        }
    }

    private mutating func line(
        _ mark: String, _ item: ComparedItem, _ colour: DiffLine.Colour? = nil
    ) {
        let numbers: String =
            switch (item.a, item.b) {
            case (let a?, let b?): a == b ? "\(a)  " : "\(a) | \(b)  "
            case (let one?, nil), (nil, let one?): "\(one)  "
            case (nil, nil): ""
            }
        let (a, b) = (item.lineA, item.lineB)
        let text: String
        if item.change == .changed, let a, let b, a != b {
            text = "\(a) | \(b)"
        } else {
            text = a ?? b ?? ""
        }
        print("\(mark) \(numbers)\(ListLine.clean(text))", colour)
    }

    /// Takes the times.
    mutating func take(_ timing: TimingComparison) {
        guard !isJSON else { return json(timing) }
        if !timing.rows.isEmpty {
            print("@@ times: count, median, 95 of 100 @@", .cyan)
            let width = timing.rows.map(\.api.count).max() ?? 0
            for row in timing.rows {
                let name = row.api + String(repeating: " ", count: width - row.api.count)
                print("  \(name)  \(Self.figures(row.a)) | \(Self.figures(row.b))")
            }
        }
        let shifts = timing.shifts.filter { $0.before != $0.after }
        guard !shifts.isEmpty else { return }
        print("@@ longest shifts @@", .cyan)
        for shift in shifts {
            print(
                "  \(shift.a) | \(shift.b)  \(ListLine.clean(shift.line))  "
                    + "\(TimeSpan.text(shift.before)) | \(TimeSpan.text(shift.after))")
        }
    }

    private static func figures(_ figures: TimingComparison.Figures) -> String {
        figures.count == 0
            ? "none"
            : "\(figures.count), \(TimeSpan.text(figures.median)), \(TimeSpan.text(figures.p95))"
    }

    /// Ends with the counts.
    mutating func end(boundNames: Int) {
        let order: [ComparedItem.Change] = [.same, .changed, .missing, .added, .moved]
        if isJSON {
            var object = JSONObjectText()
            object.add("section", "summary")
            for change in order { object.add(change.rawValue, Int64(counts[change] ?? 0)) }
            object.add("bound_identifiers", Int64(boundNames))
            object.add("equal", raw: differs ? "false" : "true")
            print(object.text)
        } else {
            let words = order.map { change in
                "\(counts[change] ?? 0) \(change == .same ? "the same" : change.rawValue)"
            }
            let bound =
                boundNames == 0 ? "" : "; \(boundNames) identifiers taken for each other"
            print(words.joined(separator: ", ") + bound)
        }
        flush()
    }

    // MARK: Programs

    private mutating func json(_ item: ComparedItem) {
        guard item.change.isDifference else { return }
        guard !item.differences.isEmpty else { return print(object(item).text) }
        for found in item.differences {
            var object = object(item)
            object.add("part", found.part.rawValue)
            object.add("kind", found.difference.kind.rawValue)
            object.add("path", found.difference.path)
            object.add("place", found.difference.place)
            object.add("a_value", found.difference.recorded)
            object.add("b_value", found.difference.live)
            print(object.text)
        }
    }

    private func object(_ item: ComparedItem) -> JSONObjectText {
        var object = JSONObjectText()
        object.add("section", section)
        object.add("change", item.change.rawValue)
        object.add("a", item.a)
        object.add("b", item.b)
        object.add("a_line", item.lineA)
        object.add("b_line", item.lineB)
        return object
    }

    private mutating func json(_ timing: TimingComparison) {
        for row in timing.rows {
            var object = JSONObjectText()
            object.add("section", "times")
            object.add("api", row.api)
            for (side, figures) in [("a", row.a), ("b", row.b)] {
                object.add("\(side)_count", Int64(figures.count))
                object.add("\(side)_median_ns", figures.median)
                object.add("\(side)_p95_ns", figures.p95)
            }
            print(object.text)
        }
        for shift in timing.shifts where shift.before != shift.after {
            var object = JSONObjectText()
            object.add("section", "shifts")
            object.add("a", shift.a.rawValue)
            object.add("b", shift.b.rawValue)
            object.add("line", shift.line)
            object.add("a_ns", shift.before)
            object.add("b_ns", shift.after)
            print(object.text)
        }
    }
}
