public import Wire

/// The number of a finding, as printed: `f12` in the first session of a trace, `f2.12` in the
/// second.
///
/// The place in the order of ``Report``, so that the same session always gives the same numbers,
/// whichever findings are shown.
public struct FindingNumber: Hashable, Sendable {
    /// The session.
    public var session: SessionID
    /// The place among the findings of the session, from 1 on.
    public var place: Int

    /// A number with these values.
    public init(session: SessionID, place: Int) {
        self.session = session
        self.place = place
    }

    /// Reads a number as it is printed; nil where the text is something else.
    public init?(_ text: String) {
        guard text.first == "f" else { return nil }
        let parts = text.dropFirst().split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.first?.isNumber == true }), let last = parts.last,
            let place = Int(last), place > 0,
            let session = parts.count == 1 ? 1 : parts.first.flatMap({ Int64($0) }), session > 0
        else { return nil }
        self.init(session: SessionID(session), place: place)
    }
}

extension FindingNumber: CustomStringConvertible {
    /// The number as printed.
    public var description: String {
        session.rawValue == 1 ? "f\(place)" : "f\(session).\(place)"
    }
}
