internal import Framing
internal import NIOCore
internal import NIOPosix
public import Simperium

/// A Simperium client: buckets of one application over one socket, and their state on disk.
///
/// It carries out the commands of a ``SimperiumSession`` and a ``SimperiumDriver``. Everything
/// happens in turns, one after the other; what a turn stored is on disk before anything of it is
/// sent.
public final class SimperiumClient: Sendable {
    /// The settings of a client.
    public struct Settings: Sendable {
        /// Where the server is.
        public var target: SimperiumTarget
        /// Identifier of the application.
        public var app: String
        /// Names of the buckets, each once and at least one.
        public var buckets: [String]
        /// The user's access token; nil where no socket will be opened, or tokens can be requested.
        public var token: String?
        /// Gets a token from the auth API: at first, and where the one in use has expired.
        public var authorize:
            (@Sendable () async -> Result<String, SimperiumAuthorization.Failure>)?
        /// Folder of the state; nil keeps it in memory.
        public var folder: String?
        /// Whether messages travel in SockJS frames.
        public var isSockJS = false
        /// A PEM file of authorities that are trusted besides those of the system.
        public var trustFile: String?
        /// Whether the pages of the index hold the data.
        public var pagesHoldData = true
        /// The maximum number of entries of a page of the index, in 1...1000.
        public var pageSize = 100
        /// Nanoseconds without an answer after which another socket is opened.
        public var patience: Int64 = 60_000_000_000
        /// Nanoseconds of silence after which a heartbeat is sent.
        public var idle: Int64 = 20_000_000_000
        /// Pauses between sockets.
        public var pauses = ReconnectSchedule()

        /// Settings with these values and the usual limits.
        public init(target: SimperiumTarget, app: String, buckets: [String]) {
            self.target = target
            self.app = app
            self.buckets = buckets
        }
    }

    /// What makes a turn.
    enum Input: Sendable {
        case authorized(Int, Result<String, SimperiumAuthorization.Failure>)
        case dialed(Int, any Channel)
        case socket(Int, [SocketReader.Event])
        case timer
        case feed(SimperiumSession.Event, whenStored: @Sendable () -> Void)
        case endOfInput
        case stop
    }

    let settings: Settings
    private let inputs: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation

    /// A client that has not begun.
    public init(_ settings: Settings) {
        self.settings = settings
        (inputs, continuation) = AsyncStream.makeStream()
    }

    /// Something that a user does while a driver runs.
    ///
    /// - Parameters:
    ///   - event: An edit or a removal.
    ///   - whenStored: Called when it is on disk.
    public func feed(
        _ event: SimperiumSession.Event, whenStored: @escaping @Sendable () -> Void = {}
    ) {
        continuation.yield(.feed(event, whenStored: whenStored))
    }

    /// Nothing more will be fed.
    public func endInput() { continuation.yield(.endOfInput) }

    /// Ends ``run(_:print:say:)`` after the current turn.
    public func stop() { continuation.yield(.stop) }

    /// Runs a driver to its end; once.
    ///
    /// - Parameters:
    ///   - driver: Determines what to do.
    ///   - print: Takes lines for the user.
    ///   - say: Receives lines of progress for the user.
    /// - Returns: How it ended; success where it was stopped.
    /// - Throws: ``SimperiumClientError`` where the state cannot be read or written.
    public func run(
        _ driver: some SimperiumDriver, print: @escaping @Sendable (String) -> Void,
        say: @escaping @Sendable (String) -> Void
    ) async throws(SimperiumClientError) -> SimperiumOutcome {
        let state = try SimperiumState(folder: settings.folder, app: settings.app)
        let turns = try SimperiumTurns(
            settings, state, driver, Dialer(settings.target, trustFile: settings.trustFile),
            continuation, print: print, say: say)
        var input: Input? = .timer
        var iterator = inputs.makeAsyncIterator()
        while let next = input {
            if case .stop = next { break }
            let outcome: SimperiumOutcome?
            do throws(SimperiumClientError) { outcome = try turns.take(next) } catch {
                await turns.close()
                throw error
            }
            if let outcome {
                await turns.close()
                return outcome
            }
            input = await iterator.next()
        }
        await turns.close()
        return .done
    }
}
