public import Wire

/// One Simperium command.
public struct CommandRow: Hashable, Sendable {
    /// Number of the command.
    public var id: CommandID
    /// The message it came in.
    public var message: MessageID
    /// The connection.
    public var connection: ConnectionID
    /// Place among the commands of the message, from 0; above 0 only in SockJS frames.
    public var position: Int
    /// Who sent it.
    public var sender: Peer
    /// When the last byte of its message arrived.
    public var at: Instant
    /// Channel; nil for commands of the connection.
    public var channel: Int?
    /// Name: `init`, `auth`, `i`, `e`, `cv`, `c`, `o`, `h`, `index`, `log`, `?`, or as sent.
    public var name: String
    /// Bucket that the channel was opened for, if that was seen.
    public var bucket: String?
    /// Application of the socket, if its URL or an `init` has it.
    public var app: String?
    /// The whole command as text: channel, name and payload.
    ///
    /// Nil where it is the payload of the message.
    public var text: [UInt8]?
    /// Offset in bytes of the payload in the text of the command.
    public var payloadOffset: Int
    /// Length of the payload in bytes.
    public var payloadSize: Int
    /// Key of the object, for `e` and for a `c` with one change.
    public var key: String?
    /// Name of the request in the `cmd` of an `init`: `i` or `cv`.
    public var request: String?
    /// Change version that the command states, if one; of an `init`, that of its `cmd`.
    public var cv: String?
    /// Error code of an `auth` or of the first change with one.
    public var error: Int?
    /// The error with its place; nil where it could be read.
    public var problem: String?
    /// Whose conversation it belongs to.
    public var side = Side.both
    /// What became of it on its way.
    public var fate = Fate.same
    /// The row of the other side that corresponds to it.
    public var counterpart: CommandID?

    /// A command row with these values.
    public init(
        id: CommandID, message: MessageID, connection: ConnectionID, position: Int, sender: Peer,
        at: Instant, channel: Int?, name: String, bucket: String?, app: String?, text: [UInt8]?,
        payloadOffset: Int, payloadSize: Int, key: String?, request: String? = nil, cv: String?,
        error: Int?, problem: String?
    ) {
        self.id = id
        self.message = message
        self.connection = connection
        self.position = position
        self.sender = sender
        self.at = at
        self.channel = channel
        self.name = name
        self.bucket = bucket
        self.app = app
        self.text = text
        self.payloadOffset = payloadOffset
        self.payloadSize = payloadSize
        self.key = key
        self.request = request
        self.cv = cv
        self.error = error
        self.problem = problem
    }

    /// Its names: that of the command, and of an `init` that of the request in its `cmd` too.
    public var names: [String] { [name] + (request.map { [$0] } ?? []) }
}

/// One change of a Simperium `c` command.
public struct ChangeRow: Hashable, Sendable {
    /// The command.
    public var command: CommandID
    /// Place among the changes of the command, from 0.
    public var position: Int
    /// The bucket, if the opening of the channel was seen.
    public var bucket: String?
    /// Key of the object.
    public var key: String?
    /// Operation: `M`, `-`, `EMPTY`, or as sent.
    public var operation: String?
    /// Source version.
    public var sv: Int64?
    /// End version.
    public var ev: Int64?
    /// Change version.
    public var cv: String?
    /// `ccid`, or `ccids` joined by spaces.
    public var ccid: String?
    /// Client that made the change.
    public var clientID: String?
    /// Error code.
    public var error: Int?
    /// Offset in bytes of the change in the text of the command.
    public var offset: Int
    /// Length of the change in bytes.
    public var size: Int
    /// Whose conversation it belongs to.
    public var side = Side.both
    /// What became of its command on its way.
    public var fate = Fate.same

    /// A change row with these values.
    public init(
        command: CommandID, position: Int, bucket: String?, key: String?, operation: String?,
        sv: Int64?, ev: Int64?, cv: String?, ccid: String?, clientID: String?, error: Int?,
        offset: Int, size: Int
    ) {
        self.command = command
        self.position = position
        self.bucket = bucket
        self.key = key
        self.operation = operation
        self.sv = sv
        self.ev = ev
        self.cv = cv
        self.ccid = ccid
        self.clientID = clientID
        self.error = error
        self.offset = offset
        self.size = size
    }
}
