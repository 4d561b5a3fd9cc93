public import Wire

/// The number of a finding, as printed: `f12` in the first session of a trace, `f2.12` in the
/// second; `u12` of what could not be decided.
///
/// The place in the order of ``Report``, so that the same session always gives the same numbers,
/// whichever findings are shown.
public struct FindingNumber: Hashable, Sendable {
    /// What is numbered; the raw value is the letter.
    public enum Kind: Character, Hashable, Sendable {
        /// A finding.
        case finding = "f"
        /// What could not be decided.
        case undecided = "u"
    }

    /// What is numbered.
    public var kind: Kind
    /// The session.
    public var session: SessionID
    /// The place among those of its kind in the session, from 1 on.
    public var place: Int

    /// A number with these values.
    public init(_ kind: Kind = .finding, session: SessionID, place: Int) {
        self.kind = kind
        self.session = session
        self.place = place
    }

    /// Reads a number as it is printed; nil where the text is something else.
    public init?(_ text: String) {
        guard let kind = text.first.flatMap(Kind.init) else { return nil }
        let parts = text.dropFirst().split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.first?.isNumber == true }), let last = parts.last,
            let place = Int(last), place > 0,
            let session = parts.count == 1 ? 1 : parts.first.flatMap({ Int64($0) }), session > 0
        else { return nil }
        self.init(kind, session: SessionID(session), place: place)
    }
}

extension FindingNumber {
    /// The number with its noun, `finding f3`.
    public var words: String { (kind == .finding ? "finding " : "undecided item ") + description }
}

extension FindingNumber: CustomStringConvertible {
    /// The number as printed.
    public var description: String {
        "\(kind.rawValue)" + (session.rawValue == 1 ? "" : "\(session).") + "\(place)"
    }
}
