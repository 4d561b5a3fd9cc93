internal import Platform

/// What to do about a file or folder that was named in the place of a trace.
enum MistakenPath {
    /// Whether a folder is at `path`.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The message about a folder.
    static func folder(_ path: String) -> String {
        access(path + "/recording.json", F_OK) == 0
            ? "\(path) is a recording as text; tapedeck import \(path) NEW.tape makes a trace of it"
            : "\(path) is a directory; name a trace in it"
    }

    /// The message about a file that is no trace: how those that can be imported are.
    static func file(_ path: String) -> String {
        let name = path.lowercased()
        let isKnown = importable.contains { name.hasSuffix($0) }
        return isKnown
            ? "\(path) is not a trace; tapedeck import \(path) NEW.tape makes one of it"
            : "\(path) is not a trace; name another file"
    }

    private static let importable = [
        ".har", ".pcap", ".pcapng", ".cap", ".flow", ".flows", ".mitm",
    ]
}
