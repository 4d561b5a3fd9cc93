import Faults
import Notation
import Serving
import Wire

extension HeldMessage {
    /// The message in lists, without its bytes.
    func json(at now: Instant) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .string("\(id)")), ("kind", .string(kind)),
            ("connection", .integer(connection.rawValue)),
            ("sender", .string("\(sender)")), ("rule", .string(firing.rule)),
            ("held_ms", .integer(Self.milliseconds(now.nanoseconds - at.nanoseconds))),
            ("left_ms", .integer(Self.milliseconds(until.nanoseconds - now.nanoseconds))),
            ("size", .integer(bytes.count)), ("summary", .string(summary)),
        ]
        if let method, let target {
            members.append(("method", .string(method)))
            members.append(("target", .string(target)))
        }
        if let status { members.append(("status", .integer(status))) }
        if case .command(let channel, let bucket, let key) = content {
            members.append(("channel", channel.map { .integer($0) } ?? .null))
            members.append(("bucket", bucket.map { .string($0) } ?? .null))
            members.append(("key", key.map { .string($0) } ?? .null))
        }
        return .object(members)
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Int64 {
        max(0, nanoseconds) / 1_000_000
    }
}
