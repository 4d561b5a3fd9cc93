public import Notation
import Wire

extension SimperiumMessage {
    /// The contents of `command`.
    ///
    /// Nil where the command could not be read, or is of another message. Nothing that was read is
    /// left out except the ranges; tolerated oddities are removed, so that ``encoded(by:)`` writes
    /// the same command as it should have been sent.
    ///
    /// - Parameters:
    ///   - command: A command, from ``SimperiumCommand/parse(_:from:)``.
    ///   - message: The message it was read from.
    public init?(_ command: SimperiumCommand, in message: [UInt8]) {
        guard command.problem == nil, command.payload.upperBound <= message.count,
            var body = command.body?.map({ JSONValue($0, of: message) })
        else { return nil }
        switch body {
        case .initialize(var request):
            request.tokenRange = nil
            body = .initialize(request)
        // Neither data nor the lack of it.
        case .entity(let reply) where reply.data == nil && reply.content != .missing:
            body = .other(name: command.name, payload: Array(message[command.payload]))
        default: break
        }
        self.init(command.channel, body)
    }
}

extension SimperiumChange<JSONValue> {
    /// The contents of `change` of `message`.
    public init(_ change: SimperiumChange<Range<Int>>, in message: [UInt8]) {
        self = change.map { JSONValue($0, of: message) }
    }
}

extension JSONValue {
    /// The value in `range`; nil where there is none.
    init?(_ range: Range<Int>, of message: [UInt8]) {
        guard range.upperBound <= message.count,
            let document = try? JSONDocument.scan(message, in: range)
        else { return nil }
        self.init(document.root)
    }
}
