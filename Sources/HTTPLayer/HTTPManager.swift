internal import Synchronization

/// Sends requests by priority, a bounded number at once, on one separate thread.
///
/// Keep it while requests are in progress: those left when it is released are cancelled. libcurl
/// uses a separate thread for each name it resolves, for as long as that takes.
public final class HTTPManager: Sendable {
    /// A manager with the usual settings.
    public static let shared = HTTPManager()

    private struct Phase {
        var lifecycle = Lifecycle.foreground
        var isBackgroundTaskEnabled = false
    }

    private let loop: TransferLoop
    private let phase = Mutex(Phase())

    /// A manager in the foreground; its thread starts with the first request.
    public init(_ settings: HTTPSettings = HTTPSettings()) {
        loop = TransferLoop(settings)
    }

    deinit { loop.stop() }

    /// Queues a request; never blocks on the network.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - completionHandler: Called exactly once, through ``HTTPSettings/execute``; it must not
    ///     block.
    /// - Returns: What ``cancel(_:)`` takes.
    @discardableResult
    public func add(
        _ request: Request, completionHandler: @escaping @Sendable (Response) -> Void
    ) -> RequestHandle {
        RequestHandle(id: loop.add(request, completionHandler))
    }

    /// Sends a request and waits for its outcome; cancelled with its task.
    public func response(to request: Request) async -> Response {
        let id = TransferLoop.makeID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.add(request, id: id, inPlace: true) { continuation.resume(returning: $0) }
                // Cancelled before it was added: the handler below came too early.
                if Task.isCancelled { loop.cancel(id) }
            }
        } onCancel: {
            loop.cancel(id)
        }
    }

    /// Withdraws a request, queued or running; it completes with `.cancelled`.
    ///
    /// Does nothing where it has completed.
    public func cancel(_ handle: RequestHandle) { loop.cancel(handle.id) }

    /// Whether the program is in front; in the background queued requests wait.
    public var lifecycle: Lifecycle {
        get { phase.withLock { $0.lifecycle } }
        set {
            // Posted within the lock so that the last value set is the last one received.
            phase.withLock {
                $0.lifecycle = newValue
                loop.post(.lifecycle(newValue))
            }
        }
    }

    /// Whether requests are processed in the background too; false at first.
    ///
    /// Source: HTTPLayer/Specification.md#background.
    public var isBackgroundTaskEnabled: Bool {
        get { phase.withLock { $0.isBackgroundTaskEnabled } }
        set {
            phase.withLock {
                $0.isBackgroundTaskEnabled = newValue
                loop.post(.backgroundTasks(enabled: newValue))
            }
        }
    }
}
