import SyncServers
import Synchronization

/// What `serve` prints about itself: where clients find it, what they ask, and a summary.
final class ServedLines: Sendable {
    private struct Counts {
        var requests: Int64 = 0
        var failed: Int64 = 0
        var sockets: Int64 = 0
    }

    private let counts = Mutex(Counts())
    private let style: ListStyle?

    /// Prints a line for each request where standard output is a terminal.
    init(isTerminal: Bool = StandardOutput.isTerminal, style: ListStyle = .standard) {
        self.style = isTerminal ? style : nil
    }

    /// Where clients find the servers.
    ///
    /// - Parameters:
    ///   - address: Host and port as a client on this machine has them.
    ///   - isOpen: Whether any user and any token is accepted.
    ///   - token: A token that is accepted then.
    /// - Returns: The lines, without line ends.
    static func places(_ address: String, isOpen: Bool, token: String) -> [String] {
        let login =
            isOpen ? "any project, user and password" : "the projects and users of --accounts"
        var lines = [
            "CommCare: http://\(address) with \(login)",
            "Simperium: ws://\(address)/sock/1/APP/websocket and http://\(address)/1/APP/",
        ]
        if isOpen {
            lines.append("Simperium token, for example: \(token); each token is another user")
        }
        return lines
    }

    /// Takes what was served.
    func add(_ event: ServedEvent) {
        counts.withLock { counts in
            switch event {
            case .request(_, _, let status, _):
                counts.requests += 1
                if status >= 400 { counts.failed += 1 }
            case .socket: counts.sockets += 1
            }
        }
        if let style { StandardOutput.write(Self.line(event, style) + "\n") }
    }

    /// The line about an event.
    static func line(_ event: ServedEvent, _ style: ListStyle) -> String {
        switch event {
        case .request(let method, let target, let status, let nanoseconds):
            let start = "\(ListLine.pad(ListLine.clean(method), 6)) "
            let end = "  \(TimeSpan.text(nanoseconds))"
            let taken = TextWidth.of(start) + 4 + TextWidth.of(end)
            let path = ListLine.clean(target)
            let shown = style.left(after: taken).map { TextWidth.shortened(path, $0) } ?? path
            return start + style.painted(String(status), status) + " " + shown + end
        case .socket(let target):
            return "SOCKET \(style.painted("101", 101)) \(ListLine.clean(target))"
        }
    }

    /// `12 requests, 1 failed, 1 WebSocket`.
    var summary: String {
        counts.withLock { counts in
            [
                Summary.count(counts.requests, "request"), "\(counts.failed) failed",
                Summary.count(counts.sockets, "WebSocket"),
            ].joined(separator: ", ")
        }
    }
}
