import Framing
import Simperium
import Wire

/// The Simperium commands of one socket: the buckets of its channels, and the contents of each
/// command.
struct SimperiumConversation {
    /// Whether the messages are Simperium's.
    private enum Recognition {
        /// Unknown from the address; the first message of the client shows it.
        case unknown
        case raw
        case sockJS
        case other
    }

    private let exchange: OpenExchange
    private let context: ConversationContext
    private let limits: DissectionLimits
    private let output: DissectorOutput
    private var recognition: Recognition
    private var app: String?
    private var buckets: [Int: String] = [:]

    init(
        exchange: OpenExchange, context: ConversationContext, limits: DissectionLimits,
        output: DissectorOutput
    ) {
        self.exchange = exchange
        self.context = context
        self.limits = limits
        self.output = output
        let endpoint = SimperiumEndpoint.recognise(path: exchange.row.path)
        app = endpoint?.app
        recognition =
            switch endpoint?.transport {
            case .webSocket: .raw
            case .sockJS: .sockJS
            case nil: .unknown
            }
    }

    /// One that goes on from where `other` is.
    init(
        copying other: SimperiumConversation, exchange: OpenExchange, context: ConversationContext,
        output: DissectorOutput
    ) {
        self.exchange = exchange
        self.context = context
        limits = other.limits
        self.output = output
        recognition = other.recognition
        app = other.app
        buckets = other.buckets
        nameBytes = other.nameBytes
    }

    /// Whether commands are read as in `other`.
    func isLike(_ other: SimperiumConversation) -> Bool {
        recognition == other.recognition && app == other.app && buckets == other.buckets
    }

    /// Bytes of the names that are kept; they have 64 characters, and one may send more.
    private var nameBytes = 0
    private static let maxNameBytes = 1 << 18

    /// Processes a text message.
    mutating func consume(_ message: MessageRow) {
        if case .unknown = recognition { recognise(message) }
        switch recognition {
        case .raw:
            command(message.payload, message, position: 0, isWhole: true)
        case .sockJS:
            unwrap(message)
        case .unknown, .other:
            return
        }
    }

    /// The first message of the client decides.
    private mutating func recognise(_ message: MessageRow) {
        guard message.sender == .client else { return }
        guard SimperiumCommand.looksLikeSimperium(message.payload) else {
            recognition = .other
            return
        }
        recognition = .raw
        exchange.row.api = "simperium.socket"
        output.emit(.exchange(exchange.row))
    }

    private mutating func unwrap(_ message: MessageRow) {
        do {
            let inner: [SockJSMessage]
            switch message.sender {
            case .client:
                inner = try SockJSFrame.parse(client: message.payload.span)
            case .server:
                guard case .messages(let list) = try SockJSFrame.parse(server: message.payload.span)
                else { return }
                inner = list
            }
            for (position, each) in inner.enumerated() {
                command(each.text, message, position: position, isWhole: false)
            }
        } catch {
            // Of what was cut, or kept in part, nothing is known.
            guard message.problem == nil, message.size == Int64(message.payload.count) else {
                return
            }
            note(message, ConversationNote.sockJSMalformed.rawValue, "\(error)")
        }
    }

    /// Writes down one command.
    private mutating func command(
        _ text: [UInt8], _ message: MessageRow, position: Int, isWhole: Bool
    ) {
        let command = SimperiumCommand.parse(text, from: message.sender)
        if case .initialize(let request) = command.body, let channel = command.channel {
            if let bucket = request.bucket { remember(bucket, channel) }
            app = app ?? request.app
        }
        let id = output.nextCommand()
        let bucket = command.channel.flatMap { buckets[$0] }
        output.emit(
            .command(
                CommandRow(
                    id: id, message: message.id, connection: context.row.id, position: position,
                    sender: message.sender, at: message.endedAt, channel: command.channel,
                    name: command.name, bucket: bucket, app: app, text: isWhole ? nil : text,
                    payloadOffset: command.payload.lowerBound,
                    payloadSize: command.payload.count, key: command.key,
                    request: command.request, cv: command.cv, error: command.error,
                    problem: command.problem?.description)))
        if case .changes(let changes) = command.body {
            for (index, change) in changes.enumerated() {
                output.emit(
                    .change(ChangeRow(change, command: id, position: index, bucket: bucket)))
            }
        }
        for item in command.notes { note(message, item.code.rawValue, item.detail) }
    }

    private mutating func remember(_ bucket: String, _ channel: Int) {
        let known = buckets[channel]
        let bytes = nameBytes + bucket.utf8.count - (known?.utf8.count ?? 0)
        guard buckets.count < limits.channels || known != nil, bytes <= Self.maxNameBytes else {
            return
        }
        nameBytes = bytes
        buckets[channel] = bucket
    }

    private func note(_ message: MessageRow, _ code: String, _ detail: String) {
        output.emit(
            .note(
                NoteRow(
                    connection: context.row.id, exchange: exchange.row.id, message: message.id,
                    sender: message.sender, at: message.endedAt, place: message.place, code: code,
                    detail: detail)))
    }
}
