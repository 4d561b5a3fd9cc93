import Wire

/// Whether a line of a head that somebody wrote is one.
struct LineCheck {
    /// The line.
    let text: String
    /// The place of its first byte.
    let place: Int
    /// The text that it is in.
    let lines: EditedLines

    /// What a start line looks like.
    static func expected(from sender: Peer) -> String {
        sender == .client
            ? "here belongs a request line, such as GET /path HTTP/1.1"
            : "here belongs a status line, such as HTTP/1.1 200 OK"
    }

    private func error(_ index: String.Index, _ message: String) -> EditableTextError {
        lines.error(at: place + text.utf8.distance(from: text.startIndex, to: index), message)
    }

    /// Throws where it is no start line.
    func startLine(from sender: Peer) throws(EditableTextError) {
        try noControl()
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        switch sender {
        case .client:
            guard words.count == 3, HeaderShape.isName(String(words[0])), !words[1].isEmpty,
                words[2].hasPrefix("HTTP/") || words[2].contains(" ")
            else { throw error(text.startIndex, Self.expected(from: sender)) }
            guard let space = words[2].firstIndex(of: " ") else { return }
            throw error(
                words[2].hasPrefix("HTTP/") ? space : words[1].endIndex,
                "a target has no spaces: write %20")
        case .server:
            guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3,
                let status = Int(words[1]), (100...599).contains(status)
            else { throw error(text.startIndex, Self.expected(from: sender)) }
        }
    }

    /// Throws where it is no field.
    func field() throws(EditableTextError) {
        try noControl()
        guard let colon = text.firstIndex(of: ":") else {
            throw error(
                text.startIndex,
                "here belongs a header field, Name: value, or an empty line before the content")
        }
        let name = text[..<colon]
        guard HeaderShape.isName(String(name)) else {
            let wrong = name.firstIndex { !HeaderShape.isName(String($0)) } ?? text.startIndex
            throw error(wrong, "the name of a header field has no such character")
        }
    }

    private func noControl() throws(EditableTextError) {
        let wrong = text.unicodeScalars.firstIndex {
            ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F
        }
        guard let wrong else { return }
        throw error(wrong, "a head has no control characters")
    }
}
