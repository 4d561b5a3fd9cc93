public import Wire

/// One Simperium command, read from one WebSocket message.
///
/// What real clients and servers send differently from the specification is read nevertheless and
/// listed in ``notes``; what cannot be read leaves a ``problem``, with as much of the command as is
/// certain. Ranges are in bytes of the message. Source: Simperium/Specification.md#messages.
public struct SimperiumCommand: Hashable, Sendable {
    /// Who sent it.
    public var sender: Peer
    /// Number that the client gave the channel at `init`; nil for commands of the connection.
    public var channel: Int?
    /// Name: `init`, `auth`, `i`, `e`, `cv`, `c`, `o`, `h`, `index`, `log`, `?`, or as sent.
    ///
    /// Empty where the message is not a command.
    public var name: String
    /// What follows the colon after the name; empty, at the end of the message, without one.
    public var payload: Range<Int>
    /// Its contents; nil where it could not be read, see ``problem``.
    public var body: SimperiumBody<Range<Int>>?
    /// What was tolerated to read it, in order of discovery; each code and field once.
    public var notes: [SimperiumNote]
    /// Why the payload could not be read; nil where it could.
    public var problem: SimperiumError?

    /// The maximum number of changes or index entries that are read from one command.
    public static let maxElements = 262_144

    /// Reads one message.
    ///
    /// Takes time and memory linear in the length of the message, and a constant amount of stack.
    ///
    /// - Parameters:
    ///   - message: The text of the message, outside of SockJS frames.
    ///   - sender: Who sent it; decides between the readings of `cv` and what is noted.
    /// - Returns: The command, or with a ``problem`` as much of it as is certain.
    public static func parse(_ message: [UInt8], from sender: Peer) -> SimperiumCommand {
        if let plain = PlainChanges.read(message, from: sender) {
            return SimperiumCommand(
                sender: sender, channel: plain.channel, name: "c", payload: plain.payload,
                body: .changes(plain.changes), notes: plain.notes, problem: nil)
        }
        return parseNoting(message, from: sender)
    }

    /// Reads one message in the way that notes what it tolerates.
    ///
    /// - Returns: What ``parse(_:from:)`` does.
    package static func parseNoting(_ message: [UInt8], from sender: Peer) -> SimperiumCommand {
        var parser = CommandParser(message, from: sender)
        return parser.parse()
    }
}

extension SimperiumCommand {
    /// The key it is about: of an `e`, or of a `c` with one change.
    public var key: String? {
        switch body {
        case .entityRequest(let key, _): key
        case .entity(let reply): reply.key
        case .changes(let changes) where changes.count == 1: changes[0].key
        default: nil
        }
    }

    /// Name of the request in the `cmd` of an `init`, `i` or `cv`; nil where there is none.
    public var request: String? {
        guard case .initialize(let opening) = body else { return nil }
        return switch opening.request {
        case .index: "i"
        case .changesSince: "cv"
        case .other, nil: nil
        }
    }

    /// The change version it has: the requested one, that of a page, or of its last change.
    public var cv: String? {
        switch body {
        case .changesSince(let cv): cv
        case .initialize(let opening):
            if case .changesSince(let cv)? = opening.request { cv } else { nil }
        case .indexPage(let page): page.current
        case .changes(let changes): changes.last { $0.cv != nil }?.cv
        case .indexState(let state): state.current
        default: nil
        }
    }

    /// The error code of an `auth` or of the first change with one.
    public var error: Int? {
        switch body {
        case .auth(.refused(let code, _)): code
        case .changes(let changes): changes.lazy.compactMap(\.error).first
        default: nil
        }
    }

    /// Whether a message looks like a Simperium command, from its first bytes alone.
    ///
    /// True for `CHANNEL:NAME` with a name that is specified, `h:`, `log:` and a bare `?`.
    public static func looksLikeSimperium(_ message: some Collection<UInt8>) -> Bool {
        let start = Array(message.prefix(32))
        guard let head = CommandHead(start) else { return false }
        guard CommandHead.known.contains(head.name) else { return false }
        switch head.name {
        case "h", "log": return head.hasPayload
        case "?": return head.channel != nil || start.count == 1
        default: return head.channel != nil
        }
    }
}
