internal import NIOCore
internal import NIOPosix
public import Replaying
public import Wire

/// Plays the recorded WebSockets of one client that carry something else than Simperium.
///
/// What is sent and when is settled by ``WebSocketPlay``, one for each socket; sockets may be played
/// at once.
public final class ConversationPlayer: Sendable {
    /// What was recorded.
    public struct Recording: Sendable {
        /// The conversations, by the exchange that opened each.
        public var conversations: [ExchangeID: RecordedConversation]
        /// Those exchanges.
        public var exchanges: [ExchangeID: RecordedExchange]
        /// Gives what was recorded of such an exchange.
        public var handshake: @Sendable (ExchangeID) -> HTTPRecording
        /// Returns the payload of a message; called from a separate thread.
        public var payload: WebSocketPlay.Fetch

        /// A recording with these values; conversations without their exchange are left out.
        public init(
            _ conversations: [RecordedConversation], exchanges: [RecordedExchange],
            handshake: @escaping @Sendable (ExchangeID) -> HTTPRecording,
            payload: @escaping WebSocketPlay.Fetch
        ) {
            self.conversations = Dictionary(
                conversations.map { ($0.exchange, $0) }, uniquingKeysWith: { $1 })
            self.exchanges = [:]
            for exchange in exchanges where self.conversations[exchange.id] != nil {
                self.exchanges[exchange.id] = exchange
            }
            self.handshake = handshake
            self.payload = payload
        }
    }

    private let recording: Recording
    private let target: ReplayTarget
    private let identity: SharedIdentity
    private let loop: any EventLoop
    private let settings: WebSocketPlay.Settings

    /// A player that has played nothing yet.
    ///
    /// - Parameters:
    ///   - recording: What was recorded.
    ///   - target: The live server, and how it is played to.
    ///   - identity: The names of the played client, which its requests over HTTP share.
    public init(_ recording: Recording, target: ReplayTarget, identity: SharedIdentity) {
        self.recording = recording
        self.target = target
        self.identity = identity
        loop = MultiThreadedEventLoopGroup.singleton.next()
        var settings = WebSocketPlay.Settings()
        settings.pace = target.pace
        settings.patience = target.patience
        settings.leftOut = LeftOut(rules: target.rules)
        self.settings = settings
    }

    /// Plays a conversation, once, to its end, or until the task is cancelled.
    ///
    /// - Parameter exchange: The exchange that opened it.
    /// - Returns: The result.
    public func play(_ exchange: ExchangeID) async -> PlayedConversation {
        guard let conversation = recording.conversations[exchange],
            let opened = recording.exchanges[exchange]
        else { return .notPlayed(exchange) }
        let coordinator = coordinator(conversation, opened)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { coordinator.value.begin { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.execute { coordinator.value.take(.abandoned) }
        }
    }

    /// What plays a conversation, on the event loop.
    private func coordinator(
        _ conversation: RecordedConversation, _ opened: RecordedExchange
    ) -> NIOLoopBoundBox<ConversationCoordinator> {
        let handshake = recording.handshake(opened.id)
        let options = HTTPPlayer.options(target)
        let opening = identity.withLock {
            WebSocketOpening(opened, handshake, options: options, &$0)
        }
        let play = WebSocketPlay(conversation, settings: settings, fetch: recording.payload)
        return NIOLoopBoundBox.makeBoxSendingValue(
            ConversationCoordinator(play, opening, target: target, identity: identity, loop: loop),
            eventLoop: loop)
    }
}
