public import Filters

/// A mistake in a fault plan, and where it is.
public struct FaultPlanError: Error, Hashable, Sendable {
    /// The kind of error.
    public enum Reason: Hashable, Sendable {
        /// The plan is longer than ``FaultPlan/maximumSize``.
        case tooLong
        /// More than ``FaultPlan/maximumRules`` rules.
        case tooManyRules
        /// It is not YAML; the parser's words.
        case notYAML(String)
        /// Something else is expected here.
        case expected(String)
        /// The mapping has no such key; `nearest` are names like it, best first, at most three.
        case unknownKey(String, of: String, nearest: [String])
        /// A key that has to be there is missing.
        case missingKey(String, of: String)
        /// The key is there twice.
        case repeatedKey(String)
        /// Two rules have this name.
        case duplicateName(String)
        /// A name of a rule is 1 to 100 characters without control characters.
        case notAName
        /// The filter is invalid.
        case filter(FilterError.Reason)
        /// Two comparisons with this field cannot both hold.
        case excluding(Field)
        /// The filter can hold for nothing that the action can be done to.
        case nothingFor(ActionKind)
        /// No `=>` in a rule of one line.
        case missingArrow
        /// Nothing follows `=>`.
        case missingAction
        /// No action has this name; `nearest` are names like it, best first, at most three.
        case unknownAction(String, nearest: [String])
        /// The action has no such argument; `nearest` are names like it.
        case unknownArgument(String, of: ActionKind, nearest: [String])
        /// The action cannot do without this argument.
        case missingArgument(String, of: ActionKind)
        /// The action takes no further value without a name.
        case unexpectedValue(String, of: ActionKind)
        /// The value of this argument or key is not written like that.
        case notAValue(of: String, expected: String)
        /// The quotation is not closed.
        case unclosedQuotation
        /// Only `\"`, `\\`, `\n`, `\r` and `\t` are escapes in quotation marks.
        case unknownEscape(Unicode.Scalar)
        /// A space is missing after a quotation.
        case missingSpace
        /// Conditions of the schedule that cannot be met, in words.
        case contradiction(String)
        /// The action needs the times of the schedule, or its argument, as its duration.
        case endless(ActionKind)
    }

    /// The kind of error.
    public let reason: Reason
    /// Where.
    public let place: PlanPlace

    /// The mistake `reason` at `place`.
    init(_ reason: Reason, _ place: PlanPlace) {
        self.reason = reason
        self.place = place
    }

    /// Its place, the error, the line of the plan, and a mark under the erroneous text.
    ///
    /// - Parameter file: Name of the plan; nil for a rule given on the command line.
    /// - Returns: Three lines without a line feed at the end.
    public func report(file: String? = nil) -> String {
        let start = file.map { "\($0):\(place.line):\(place.column): " } ?? ""
        // The filter language draws the line and the marks; its own first line is left out.
        let drawing = FilterError(.emptyRange, place.range).report(in: place.text)
        let lines = drawing.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        return ([start + description] + lines.map(String.init)).joined(separator: "\n")
    }
}

extension FaultPlanError: CustomStringConvertible {
    /// The error and what is expected, in one line without the place.
    public var description: String {
        switch reason {
        case .tooLong: "a plan has at most \(FaultPlan.maximumSize) bytes"
        case .tooManyRules: "a plan has at most \(FaultPlan.maximumRules) rules"
        case .notYAML(let words): "this is not YAML: \(words)"
        case .expected(let what): "expected \(what)"
        case .unknownKey(let key, let owner, let nearest):
            "\(owner) has no \"\(key)\"" + NearestNames.question(nearest)
        case .missingKey(let key, let owner): "\(owner) needs \"\(key)\""
        case .repeatedKey(let key): "\"\(key)\" is given twice"
        case .duplicateName(let name): "a rule \"\(name)\" exists already"
        case .notAName: "a name has 1 to 100 characters, and no control characters"
        case .filter(let reason): FilterError(reason, 0..<0).description
        case .excluding(let field): "two conditions on \(field) exclude each other"
        case .nothingFor(let kind):
            "this filter matches nothing that \(kind) can be done to; \(Self.subjects(kind))"
        case .missingArrow: "=> is missing between filter and action, with a space before it"
        case .missingAction: "an action is missing after =>, such as 503 or drop"
        case .unknownAction(let name, let nearest):
            "there is no action \"\(name)\"" + NearestNames.question(nearest)
        case .unknownArgument(let name, let kind, let nearest):
            "\(kind) has no \"\(name)\"" + NearestNames.question(nearest)
        case .missingArgument(let name, let kind):
            "\(kind) needs \"\(name)\", as in: \(kind.specification.example)"
        case .unexpectedValue(let text, let kind):
            "\(kind) takes no \"\(text)\" here; a value with spaces has to be quoted"
        case .notAValue(let name, let expected): "\(name) is \(expected)"
        case .unclosedQuotation: "this quotation is not closed"
        case .unknownEscape(let scalar):
            "\\\(scalar) is not an escape; the escapes are \\\" \\\\ \\n \\r \\t"
        case .missingSpace: "a space has to follow a quotation"
        case .contradiction(let words): words
        case .endless(let kind):
            "\(kind) has to end: give for=10s, or to=20s in the schedule"
        }
    }

    private static func subjects(_ kind: ActionKind) -> String {
        let specification = kind.specification
        let subjects = specification.subjects.map { "\($0)s" }.joined(separator: ", ")
        let implied = specification.impliedText
        return "it is for \(subjects)" + (implied.isEmpty ? "" : " with \(implied)")
    }
}
