import Serving

/// A request of the admin to the server, or through it to clients.
enum AdminQuestion: Sendable {
    /// Who is connected.
    case connections
    /// The state of the client on a channel: `index`.
    case index(connection: Int, channel: Int)
    /// The log of a client: `log:N`.
    case log(connection: Int, level: Int)
    /// What clients logged.
    case logs

    /// Where the admin's paths begin.
    static let root = "admin"

    /// The contents of a request; nil where the path or a parameter is invalid.
    init?(_ request: ServedRequest) {
        let path = request.segments
        guard path.count == 2, path[0] == Self.root else { return nil }
        func number(_ name: String) -> Int? { request.parameter(name).flatMap { Int($0) } }
        switch (request.method, path[1]) {
        case ("GET", "connections"): self = .connections
        case ("GET", "logs"): self = .logs
        case ("POST", "index"):
            guard let connection = number("connection"), let channel = number("channel") else {
                return nil
            }
            self = .index(connection: connection, channel: channel)
        case ("POST", "log"):
            guard let connection = number("connection"), let level = number("level"),
                0...2 ~= level
            else { return nil }
            self = .log(connection: connection, level: level)
        default: return nil
        }
    }
}
