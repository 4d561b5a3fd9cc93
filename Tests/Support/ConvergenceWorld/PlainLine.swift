public import Simperium
public import Wire

/// A line that loses nothing but what was on its way when it was cut.
public struct PlainLine: FireLine {
    private let isWritten: Bool
    private var queues: [[[SimperiumMessage]]]
    private var news: [FireNews] = []

    /// A line for so many clients; messages are written and read on their way, as on a wire, where
    /// told so.
    public init(clients: Int, isWritten: Bool) {
        self.isWritten = isWritten
        queues = Array(repeating: [[], []], count: clients)
    }

    /// The client is connected at once.
    public mutating func open(_ client: Int, at: Instant) { news.append(.opened(client)) }

    /// Everything on its way is lost.
    public mutating func close(_ client: Int, at: Instant) { queues[client] = [[], []] }

    /// Puts a message last.
    public mutating func send(
        _ message: SimperiumMessage, from sender: Peer, of client: Int, at: Instant
    ) {
        queues[client][sender.rawValue].append(message)
    }

    /// Takes the first message.
    public mutating func receive(from sender: Peer, of client: Int) -> FireArrival? {
        guard !queues[client][sender.rawValue].isEmpty else { return nil }
        let message = queues[client][sender.rawValue].removeFirst()
        guard isWritten else { return FireArrival(message: message, text: nil) }
        let text = message.encoded(by: sender)
        let command = SimperiumCommand.parse(text, from: sender)
        return FireArrival(message: SimperiumMessage(command, in: text), text: text)
    }

    /// How many messages are on their way.
    public func waiting(from sender: Peer, of client: Int) -> Int {
        queues[client][sender.rawValue].count
    }

    /// Nothing is held back.
    public mutating func pass(to now: Instant) {}

    /// What was opened.
    public mutating func takeNews() -> [FireNews] {
        defer { news = [] }
        return news
    }

    /// Nothing goes wrong here.
    public mutating func calm(at: Instant) {}
}
