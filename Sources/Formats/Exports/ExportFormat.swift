/// What a trace can be written as, for other programs and users.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
    /// An HTTP archive, with WebSocket messages.
    case har
    /// Packets.
    case pcapng
    /// A shell script with a curl command for each request.
    case curl
    /// A folder of text, which can be imported without loss.
    case text
    /// A table of rows.
    case csv
    /// A JSON object for each row.
    case jsonLines = "jsonl"

    /// The format that a file with this name should have; nil where its extension is unknown.
    ///
    /// A name without an ending, or with a slash at the end, is that of a folder.
    public init?(path: String) {
        guard !path.hasSuffix("/") else {
            self = .text
            return
        }
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            self = .text
            return
        }
        switch name[name.index(after: dot)...].lowercased() {
        case "har": self = .har
        case "pcapng": self = .pcapng
        case "sh": self = .curl
        case "csv": self = .csv
        case "jsonl", "ndjson": self = .jsonLines
        default: return nil
        }
    }
}
