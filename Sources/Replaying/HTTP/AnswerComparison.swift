import Notation

/// Compares the answer of a live server with the recorded one.
public enum AnswerComparison {
    /// Where they differ: status, header fields, body by meaning.
    ///
    /// - Parameters:
    ///   - recorded: Status and message of the recording.
    ///   - live: Status and message of the live server.
    ///   - leftOut: What takes no part.
    ///   - limit: The maximum number of differences that are listed.
    /// - Returns: None where both are equivalent.
    public static func differences(
        recorded: (status: Int?, message: ReplayMessage),
        live: (status: Int?, message: ReplayMessage), without leftOut: LeftOut = .usual,
        limit: Int = 20
    ) -> Differences {
        var found = Differences(limit: limit)
        if recorded.status != live.status {
            found.add(
                Difference(
                    .status, recorded: recorded.status.map { String($0) } ?? "no response",
                    live: live.status.map { String($0) } ?? "no response"))
        }
        let scope = Difference.Scope()
        found.compare(
            fields(recorded.message, leftOut), fields(live.message, leftOut), .header, in: scope)
        found.compare(
            recorded.message.meaning(without: leftOut), live.message.meaning(without: leftOut),
            in: scope)
        return found
    }

    /// The header fields that are compared, by name.
    static func fields(_ message: ReplayMessage, _ leftOut: LeftOut) -> [FormField] {
        message.fields.map { ($0.name.lowercased(), $0.value) }
            .filter { !leftOut.leavesOut(header: $0.0) }
            .map { name, value in
                guard name == "content-type" else { return FormField(name, value) }
                // The boundary of a multipart body is new each time.
                let isMultipart = HeaderText.mediaType(value).hasPrefix("multipart/")
                return FormField(name, isMultipart ? HeaderText.mediaType(value) : value)
            }
            .enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element)
    }
}
