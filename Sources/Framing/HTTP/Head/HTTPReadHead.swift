/// A head, and how a framer goes on after it.
struct HTTPReadHead {
    /// The head itself.
    let parts: HTTPHeadParts
    /// Number of its lines after the first one.
    let lines: Int
    /// What is odd in it, with offsets relative to the head.
    let notes: HTTPNoteList
    /// What follows.
    let framing: HTTPBodyFraming
    /// The kind of request that a final response answers; ``HTTPRequestKind/other`` of an interim one,
    /// which answers none, and of a request.
    let kind: HTTPRequestKind
    /// Whether the protocol may change after the message.
    let mayChangeProtocol: Bool

    /// Reads a head that is complete.
    ///
    /// - Parameters:
    ///   - role: What it begins.
    ///   - bytes: All of it.
    ///   - scanner: What found its end.
    ///   - request: What it answers where it is of a final response.
    init(
        _ role: HTTPRole, _ bytes: [UInt8], _ scanner: HTTPHeadScanner,
        answering request: HTTPRequestKind
    ) {
        var notes = scanner.notes
        var reader = HTTPFieldReader()
        reader.read(
            bytes.span, from: scanner.startLineEnd, lines: scanner.lines, notes: &notes)
        let landmarks = reader.landmarks
        parts = HTTPHeadParts(
            role: role, bytes: bytes, line: scanner.startLine, fields: reader.fields)
        lines = scanner.lines
        let head = HTTPHead(parts, start: 0)
        switch role {
        case .request:
            kind = .other
            HTTPHostCheck.run(head, landmarks, notes: &notes)
            framing = .ofRequest(head, landmarks, notes: &notes)
            mayChangeProtocol =
                HTTPRequestKind(head) == .connect || landmarks.areOfUpgrade(head)
        case .response:
            let status = parts.status ?? 0
            kind = parts.isInterim ? .other : request
            framing = .ofResponse(head, landmarks, to: kind, notes: &notes)
            mayChangeProtocol =
                status == 101 || (kind == .connect && (200..<300).contains(status))
        }
        self.notes = notes
    }

    /// Whether it is of a response that another one follows.
    var isInterim: Bool { parts.isInterim }

    /// Whether it is unknown where the message ends, since it is unknown what it answers.
    var hasUnknownEnd: Bool { kind == .unknown && parts.status != 101 }
}
