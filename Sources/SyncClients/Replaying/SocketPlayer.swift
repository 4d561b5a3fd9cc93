internal import NIOCore
internal import NIOPosix
public import Replaying
internal import Simperium
public import Wire

/// Plays the recorded sockets of one client to a live server, over WebSockets or SockJS.
///
/// One player has all sockets of the client: what one of them received is known to the next one.
/// Sockets that overlap in the recording are to be played at once.
public final class SocketPlayer: Sendable {
    /// What was recorded.
    public struct Recording: Sendable {
        /// How a socket was opened.
        public struct Transport: Hashable, Sendable {
            /// The recorded host, with or without a port.
            public var host: String
            /// Path of the request, without query.
            public var path: String

            /// A transport with these values.
            public init(host: String, path: String) {
                self.host = host
                self.path = path
            }
        }

        /// The commands of all sockets, in the order of the recording.
        public var commands: [RecordedCommand]
        /// How sockets ended.
        public var sockets: [RecordedSocket]
        /// How sockets were opened.
        public var transports: [ConnectionID: Transport]
        /// Returns the text of a command; called from a separate thread.
        public var text: SimperiumPlay.Fetch

        /// A recording with these values.
        public init(
            commands: [RecordedCommand], sockets: [RecordedSocket],
            transports: [ConnectionID: Transport], text: @escaping SimperiumPlay.Fetch
        ) {
            self.commands = commands
            self.sockets = sockets
            self.transports = transports
            self.text = text
        }
    }

    private let recording: Recording
    private let target: ReplayTarget
    private let identity: SharedIdentity
    private let loop: any EventLoop
    private let coordinator: NIOLoopBoundBox<SocketCoordinator>

    /// A player that has played nothing yet.
    ///
    /// - Parameters:
    ///   - recording: What was recorded.
    ///   - target: The live server, and how it is played to.
    ///   - identity: The names of the played client, with those that its requests over HTTP gave.
    public init(_ recording: Recording, target: ReplayTarget, identity: SharedIdentity) {
        self.recording = recording
        self.target = target
        self.identity = identity
        var settings = SimperiumPlay.Settings()
        settings.isVerbatim = target.isVerbatim
        settings.pace = target.pace
        settings.patience = target.patience
        settings.rules = target.rules
        settings.comparesUsers =
            target.login == nil && target.logins.isEmpty && target.token == nil
        settings.isOneOfSeveral = target.isOneOfSeveral
        settings.hasOrder = target.order != nil
        let play = SimperiumPlay(
            recording.commands, sockets: recording.sockets, settings: settings,
            names: identity.names, fetch: recording.text)
        loop = MultiThreadedEventLoopGroup.singleton.next()
        coordinator = NIOLoopBoundBox.makeBoxSendingValue(
            SocketCoordinator(play, target: target, loop: loop), eventLoop: loop)
    }

    /// Plays a socket, once, to its end, or until the task is cancelled.
    ///
    /// - Parameter socket: One of the recording.
    /// - Returns: The result.
    public func play(_ socket: ConnectionID) async -> PlayedSocket {
        await logIn(socket)
        let transport = recording.transports[socket]
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { [coordinator] in
                    coordinator.value.begin(socket, transport) {
                        continuation.resume(returning: $0)
                    }
                }
            }
        } onCancel: {
            abandon(socket)
        }
    }

    /// Ends a socket that was played, or that will not be: nothing waits for it any longer.
    public func abandon(_ socket: ConnectionID) {
        loop.execute { [coordinator] in coordinator.value.take(.abandoned(socket)) }
    }

    /// Ends all sockets.
    public func stop() {
        for socket in Set(recording.commands.map(\.socket) + recording.sockets.map(\.id)) {
            abandon(socket)
        }
    }

    /// Gets a token in place of the recorded one, where no request over HTTP has.
    private func logIn(_ socket: ConnectionID) async {
        guard !target.isVerbatim,
            let opening = recording.commands.first(where: {
                $0.socket == socket && $0.sender == .client && $0.name == "init"
            }), let text = recording.text(opening.id)
        else { return }
        let command = SimperiumCommand.parse(text, from: .client)
        guard case .initialize(let request) = command.body, let recorded = request.token,
            identity.withLock({ $0.live(.token, recorded) }) == nil
        else { return }
        if let token = target.token {
            return identity.withLock { $0.bind(.token, recorded: recorded, live: token) }
        }
        let host = recording.transports[socket]?.host ?? ""
        guard let login = target.login(for: user(of: opening)), let app = request.app,
            let server = target.server(for: host)
        else { return }
        // Where it is refused, the answer to `init` reports it.
        let token = try? await SimperiumAuthorization.token(
            target: server, app: app, user: login.user, password: login.password, apiKey: nil,
            trustFile: target.trustFile)
        guard let token else { return }
        identity.withLock { $0.bind(.token, recorded: recorded, live: token) }
    }

    /// The name of the user on the recorded server.
    private func user(of opening: RecordedCommand) -> String? {
        let answer = recording.commands.first {
            $0.socket == opening.socket && $0.sender == .server && $0.name == "auth"
                && $0.channel == opening.channel && $0.id > opening.id
        }
        guard let answer, let text = recording.text(answer.id),
            case .auth(.accepted(let user)) = SimperiumCommand.parse(text, from: .server).body
        else { return nil }
        return user
    }
}

extension SharedIdentity {
    /// The names of a played client, for its sockets.
    var names: SimperiumPlay.Names {
        SimperiumPlay.Names(
            live: { kind, recorded in self.withLock { $0.live(kind, recorded) } },
            fresh: { kind, recorded in self.withLock { $0.fresh(kind, for: recorded) } },
            bind: { kind, recorded, live in
                self.withLock { $0.bind(kind, recorded: recorded, live: live) }
            },
            make: { recorded in self.withLock { $0.makeName(like: recorded) } })
    }
}
