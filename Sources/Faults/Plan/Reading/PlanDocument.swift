import BoundedYAML
import Yams

/// A plan as YAML, with the places of its values.
struct PlanDocument {
    /// A line and a column, both from 1.
    private struct Position {
        let line: Int
        let column: Int

        init(_ mark: Mark?) { (line, column) = (mark?.line ?? 1, mark?.column ?? 1) }
    }

    /// What is at the top; nil where the text is empty.
    let root: Node?
    private let lines: [[Unicode.Scalar]]

    /// Reads YAML, of which JSON is a part.
    ///
    /// - Throws: ``FaultPlanError`` where it is none.
    init(_ text: String) throws(FaultPlanError) {
        let whole = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" }
        lines = whole.map { line in
            Array(line.last == "\r" ? line.dropLast() : line)
        }
        if text.utf8.count > FaultPlan.maximumSize {
            throw FaultPlanError(
                .tooLong, PlanPlace(line: 1, column: 1, text: "", range: 0..<0))
        }
        do {
            root = try BoundedYAML.compose(text)
        } catch let error as YamlError {
            throw Self.mistake(error, lines)
        } catch {
            throw FaultPlanError(
                .notYAML("\(error)"), PlanPlace(line: 1, column: 1, text: "", range: 0..<0))
        }
    }

    /// The text of a scalar with the place of each of its characters.
    func text(_ scalar: Node.Scalar) -> PlacedText {
        let wanted = Array(scalar.string.unicodeScalars)
        let mark = Position(scalar.mark)
        let line = line(mark.line)
        let start = min(max(mark.column - 1, 0), line.count)
        for shift in [0, 1] where start + shift + wanted.count <= line.count {
            let found = start + shift
            guard line[found..<found + wanted.count].elementsEqual(wanted) else { continue }
            return PlacedText(
                scalar.string,
                PlanPlace(
                    line: mark.line, column: found + 1, text: Self.string(line),
                    range: found..<found + wanted.count),
                isDirect: true)
        }
        // Escapes are in it, or it is spread over lines.
        return PlacedText(scalar.string, place(of: mark), isDirect: false)
    }

    /// Where a value begins.
    func place(_ node: Node) -> PlanPlace {
        if case .scalar(let scalar) = node { return text(scalar).place }
        return place(of: Position(node.mark))
    }

    private func place(of mark: Position) -> PlanPlace {
        let line = line(mark.line)
        let start = min(max(mark.column - 1, 0), line.count)
        var end = line.count
        while end > start, line[end - 1].properties.isWhitespace { end -= 1 }
        return PlanPlace(
            line: mark.line, column: start + 1, text: Self.string(line), range: start..<end)
    }

    private func line(_ number: Int) -> [Unicode.Scalar] {
        lines.indices.contains(number - 1) ? lines[number - 1] : []
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func mistake(
        _ error: YamlError, _ lines: [[Unicode.Scalar]]
    ) -> FaultPlanError {
        let words: String
        let mark: Position
        switch error {
        case .scanner(_, let problem, let place, _), .parser(_, let problem, let place, _),
            .composer(_, let problem, let place, _):
            (words, mark) = (problem, Position(place))
        case .duplicatedKeysInMapping(let keys, let context):
            (words, mark) = ("\(keys.joined(separator: ", ")) given twice", Position(context.mark))
        case .reader(let problem, _, _, _):
            (words, mark) = (problem, Position(nil))
        default: (words, mark) = ("\(error)", Position(nil))
        }
        // What is not closed is missed after the last line.
        let number = min(max(mark.line, 1), max(lines.count, 1))
        let line = lines.isEmpty ? [] : lines[number - 1]
        let column = number < mark.line ? line.count : min(max(mark.column - 1, 0), line.count)
        return FaultPlanError(
            .notYAML(words),
            PlanPlace(
                line: number, column: column + 1, text: string(line), range: column..<column))
    }
}
