/// A place in the text of a fault plan.
public struct PlanPlace: Hashable, Sendable {
    /// The line of the plan, from 1.
    public let line: Int
    /// The column within that line, from 1, in Unicode scalars.
    public let column: Int
    /// The text that is shown: the line, or the value where it is spread over lines or escaped.
    public let text: String
    /// Where in ``text``, in Unicode scalars; empty at its end where something is missing there.
    public let range: Range<Int>
}

/// A value of a plan with the place of each of its characters.
struct PlacedText: Hashable {
    /// The value, with quotation marks and escapes undone.
    let text: String
    /// The place of all of it.
    let place: PlanPlace
    /// Whether the characters of the value are those of the place, from its start on.
    let isDirect: Bool

    /// All of a text, as its first line.
    init(_ text: String) {
        let count = text.unicodeScalars.count
        self.init(
            text, PlanPlace(line: 1, column: 1, text: text, range: 0..<count), isDirect: true)
    }

    /// The value `text` at `place`.
    init(_ text: String, _ place: PlanPlace, isDirect: Bool) {
        self.text = text
        self.place = place
        self.isDirect = isDirect
    }

    /// The place of some characters of the value.
    func place(of range: Range<Int>) -> PlanPlace {
        guard isDirect else {
            return PlanPlace(
                line: place.line, column: place.column, text: text, range: range)
        }
        let start = place.range.lowerBound
        return PlanPlace(
            line: place.line, column: place.column + range.lowerBound, text: place.text,
            range: start + range.lowerBound..<start + range.upperBound)
    }

    /// The place after the last character.
    var end: PlanPlace {
        let count = text.unicodeScalars.count
        return place(of: count..<count)
    }

    /// Some of the characters.
    func part(_ range: Range<Int>) -> PlacedText {
        let scalars = Array(text.unicodeScalars)[range]
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars)
        return PlacedText(String(part), place(of: range), isDirect: isDirect)
    }
}
