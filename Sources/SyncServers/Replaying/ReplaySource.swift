public import Replaying
public import Simperium
public import Wire

/// What a replayed server reads of a recording.
public struct ReplaySource: Sendable {
    /// The exchanges in order, those that opened a WebSocket too.
    public var exchanges: RecordedExchanges
    /// How the commands travelled, by the exchange that opened the WebSocket.
    public var upgrades: [ExchangeID: SimperiumEndpoint.Transport]
    /// The Simperium commands of all sockets, in order.
    public var commands: RecordedCommands
    /// How the sockets ended.
    public var sockets: [RecordedSocket]
    /// The WebSockets that carry something else, in order.
    public var conversations: [RecordedConversation]
    /// The addresses that recorded clients took for the server's, `HOST:PORT`: where tapedeck
    /// listened in a server's place.
    public var listeners: Set<String>
    /// Gives the recorded request (client) or response (server) of an exchange.
    public var message: HTTPReplay.Fetch
    /// Gives the response of an exchange as it is given again; nil where there was none.
    public var response: @Sendable (ExchangeID) -> RecordedResponse?
    /// Gives the text of a command.
    public var text: SimperiumReplay.Fetch
    /// Gives the payload of a message of a conversation.
    public var payload: WebSocketReplay.Fetch

    /// Whether there is nothing to play.
    public var isEmpty: Bool { exchanges.isEmpty && commands.isEmpty && conversations.isEmpty }

    /// A source with these values.
    public init(
        exchanges: RecordedExchanges = [],
        upgrades: [ExchangeID: SimperiumEndpoint.Transport] = [:],
        commands: RecordedCommands = [], sockets: [RecordedSocket] = [],
        conversations: [RecordedConversation] = [], listeners: Set<String> = [],
        message: @escaping HTTPReplay.Fetch = { _, _ in nil },
        response: @escaping @Sendable (ExchangeID) -> RecordedResponse? = { _ in nil },
        text: @escaping SimperiumReplay.Fetch = { _ in nil },
        payload: @escaping WebSocketReplay.Fetch = { _ in nil }
    ) {
        self.exchanges = exchanges
        self.upgrades = upgrades
        self.commands = commands
        self.sockets = sockets
        self.conversations = conversations
        self.listeners = listeners
        self.message = message
        self.response = response
        self.text = text
        self.payload = payload
    }
}
