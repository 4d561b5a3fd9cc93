import Filters
import Wire

/// Makes conditions of filters: finds the phase in which each can be evaluated.
enum ConditionReader {
    /// Reads the filter of a rule.
    ///
    /// - Throws: ``FaultPlanError``, with the place within the filter.
    static func condition(
        _ text: PlacedText, for action: FaultAction
    ) throws(FaultPlanError) -> FaultCondition {
        let filter = try parse(text)
        let specification = action.kind.specification
        if let implied = specification.implied {
            // Both have to hold, so they must not exclude each other.
            let both = Filter(.and([filter.root, implied.root]), mentions: filter.mentions)
            guard FilterContradiction.field(in: both.root) == nil else {
                throw FaultPlanError(.nothingFor(action.kind), text.place)
            }
        }
        return try condition(filter, text, action.phases, nothing: .nothingFor(action.kind))
    }

    /// Reads the filter that ends a rule.
    ///
    /// - Throws: ``FaultPlanError``, with the place within the filter.
    static func end(_ text: PlacedText) throws(FaultPlanError) -> FaultCondition {
        let phases: [FilterPhase] = [
            .requestHead, .requestBody, .responseHead, .responseBody, .command, .message,
        ]
        return try condition(
            try parse(text), text, phases, nothing: .contradiction("this filter matches nothing"))
    }

    private static func parse(_ text: PlacedText) throws(FaultPlanError) -> Filter {
        let filter: Filter
        do throws(FilterError) {
            filter = try Filter.parse(text.text)
        } catch {
            throw FaultPlanError(.filter(error.reason), text.place(of: error.range))
        }
        if let field = FilterContradiction.field(in: filter.root) {
            throw FaultPlanError(
                .excluding(field), text.place(of: lastPlace(of: field, filter, text.text)))
        }
        return filter
    }

    private static func condition(
        _ filter: Filter, _ text: PlacedText, _ phases: [FilterPhase],
        nothing: FaultPlanError.Reason
    ) throws(FaultPlanError) -> FaultCondition {
        var furthest: FilterError?
        for phase in phases where filter.root.canHold(for: phase.subject) {
            do throws(FilterError) {
                try filter.validate(for: phase)
            } catch {
                // The error of the last phase, in which most is known, is the most precise.
                let isFurther = error.range.lowerBound >= (furthest?.range.lowerBound ?? -1)
                if isFurther { furthest = error }
                continue
            }
            return FaultCondition(filter, text: trimmed(text.text), phase: phase)
        }
        if let furthest {
            throw FaultPlanError(.filter(furthest.reason), text.place(of: furthest.range))
        }
        throw FaultPlanError(nothing, text.place)
    }

    /// Where the text compares a field for the last time.
    private static func lastPlace(of field: Field, _ filter: Filter, _ text: String) -> Range<Int> {
        guard let mention = filter.mentions.last(where: { $0.field == field }) else {
            return 0..<text.unicodeScalars.count
        }
        // The value belongs to it.
        let scalars = Array(text.unicodeScalars)
        var end = mention.range.upperBound
        while end < scalars.count, !scalars[end].properties.isWhitespace, scalars[end] != ")" {
            end += 1
        }
        return mention.range.lowerBound..<end
    }

    private static func trimmed(_ text: String) -> String {
        var scalars = text.unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension FaultAction {
    /// The phases in which the action can be carried out with these arguments, in their order.
    var phases: [FilterPhase] {
        let isOfMessages = EditedPart(self)?.isOfMessages ?? true
        let all = kind.specification.phases.filter { $0 != .message || isOfMessages }
        switch kind.specification.side(self) {
        case .client: return all.filter { ![.responseHead, .responseBody].contains($0) }
        case .server: return all.filter { ![.requestHead, .requestBody].contains($0) }
        case nil: return all
        }
    }
}
