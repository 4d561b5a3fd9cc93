import Framing
import Simperium
import Wire

/// What a WebSocket carries: which channel is which bucket, and for which client.
struct SocketConversation {
    /// How the texts of commands are framed in messages.
    enum Form {
        /// Unknown from the address; the first message of the client shows it.
        case unknown
        case raw
        case sockJS
        case other
    }

    /// The text of a command, and its range in the message's payload if it is not the whole
    /// payload.
    struct Part {
        let text: [UInt8]
        let range: Range<Int>?
    }

    private static let maxChannels = 4096

    private(set) var form: Form
    private(set) var app: String?
    private(set) var buckets: [Int: String] = [:]
    private var clientIDs: [Int: String] = [:]
    private var lastClientID: String?

    init(path: String) {
        let endpoint = SimperiumEndpoint.recognise(path: path)
        app = endpoint?.app
        form =
            switch endpoint?.transport {
            case .webSocket: .raw
            case .sockJS: .sockJS
            case nil: .unknown
            }
    }

    /// Channels that were opened, in ascending order.
    var channels: [Int] { buckets.keys.sorted() }

    /// The client of a channel, or else that of the last channel that was opened.
    func clientID(_ channel: Int?) -> String? {
        channel.flatMap { clientIDs[$0] } ?? lastClientID
    }

    /// The texts of the commands in a message; none where they can not be read.
    mutating func parts(of payload: [UInt8], from sender: Peer) -> [Part] {
        (try? read(payload, from: sender)) ?? []
    }

    /// The texts of the commands in a message.
    ///
    /// - Throws: ``SockJSError`` where it should be a frame of SockJS and is none.
    mutating func read(
        _ payload: [UInt8], from sender: Peer
    ) throws(SockJSError) -> [Part] {
        if case .unknown = form, sender == .client {
            form = SimperiumCommand.looksLikeSimperium(payload) ? .raw : .other
        }
        switch form {
        case .raw: return [Part(text: payload, range: nil)]
        case .sockJS:
            let messages: [SockJSMessage]
            switch sender {
            case .client: messages = try SockJSFrame.parse(client: payload.span)
            case .server:
                guard case .messages(let list) = try SockJSFrame.parse(server: payload.span)
                else { return [] }
                messages = list
            }
            return messages.map { Part(text: $0.text, range: $0.range) }
        case .unknown, .other: return []
        }
    }

    /// Notes a channel that is opened.
    mutating func note(_ command: SimperiumCommand) {
        guard case .initialize(let request) = command.body, let channel = command.channel else {
            return
        }
        if buckets.count < Self.maxChannels || buckets[channel] != nil {
            if let bucket = request.bucket { buckets[channel] = bucket }
            if let id = request.clientID { clientIDs[channel] = id }
        }
        lastClientID = request.clientID ?? lastClientID
        app = app ?? request.app
    }

    /// The payload of a message with these texts alone.
    func payload(_ texts: [[UInt8]], from sender: Peer) -> [UInt8] {
        guard case .sockJS = form else { return texts.first ?? [] }
        return (sender == .server ? [UInt8(ascii: "a")] : []) + SockJSFrame.encode(client: texts)
    }

    /// Whether a client's text may open a channel, without parsing it.
    static func mayOpen(_ payload: [UInt8]) -> Bool {
        let start = payload.prefix(64)
        let name = Array("init".utf8)
        return start.indices.contains { start[$0...].starts(with: name) }
    }
}
