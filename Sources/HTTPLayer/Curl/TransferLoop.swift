internal import CCurl
internal import CurlShim
internal import Platform
internal import Synchronization

/// The interface to the thread that owns the transfers: accepts commands from any thread.
final class TransferLoop: Sendable {
    /// A request with its completion handler.
    struct Order: Sendable {
        let id: UInt64
        let request: Result<PreparedRequest, HTTPError>
        let priority: Request.Priority
        let retryCount: Int
        let tag: String?
        let tell: @Sendable (Response) -> Void
    }

    /// A command to the thread.
    enum Item: Sendable {
        case order(Order)
        case event(QueueEvent)
    }

    private struct Inbox {
        var items: [Item] = []
        /// Set while the thread runs.
        var multi: MultiHandle?
        /// After it, nothing starts any more.
        var isStopped = false
    }

    private static let lastID = Atomic<UInt64>(0)
    /// libcurl has to be initialised once, before threads use it.
    private static let isCurlReady = shim_global_init() == CURLE_OK

    let settings: HTTPSettings
    private let inbox = Mutex(Inbox())

    init(_ settings: HTTPSettings) {
        var settings = settings
        if settings.caFile == nil, let file = getenv("SSL_CERT_FILE") {
            settings.caFile = String(cString: file)
        }
        self.settings = settings
    }

    /// A number no other request has; later ones are greater.
    static func makeID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    /// Queues a request; gives its number.
    ///
    /// With `inPlace` the thread itself calls `tell`, wherever the settings require handlers to be
    /// called.
    @discardableResult
    func add(
        _ request: Request, id: UInt64 = TransferLoop.makeID(), inPlace: Bool = false,
        _ tell: @escaping @Sendable (Response) -> Void
    ) -> UInt64 {
        let prepared: Result<PreparedRequest, HTTPError>
        do {
            prepared = .success(try PreparedRequest(request, userAgent: settings.userAgent))
        } catch {
            prepared = .failure(error)
        }
        let reported: @Sendable (Response) -> Void
        if inPlace {
            reported = tell
        } else {
            let execute = settings.execute
            reported = { response in execute { tell(response) } }
        }
        let order = Order(
            id: id, request: prepared, priority: request.priority,
            retryCount: request.retryCount, tag: request.requestTag, tell: reported)
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isStopped, start(&inbox) else { return false }
            inbox.items.append(.order(order))
            inbox.multi?.wake()
            return true
        }
        if !isTaken {
            let error = HTTPError.aborted("the system has no thread or memory for transfers")
            order.tell(Response(metadata: nil, error: error, requestTag: order.tag, attempts: 0))
        }
        return id
    }

    /// Withdraws a request.
    func cancel(_ id: UInt64) { post(.cancelled(id)) }

    /// Notifies the thread, or the one that will start.
    func post(_ event: QueueEvent) {
        inbox.withLock { inbox in
            // Before the first request there is nothing to cancel and no thread to empty this.
            if case .cancelled = event, inbox.multi == nil { return }
            if inbox.multi == nil { inbox.items.removeAll { $0.isSuperseded(by: event) } }
            inbox.items.append(.event(event))
            inbox.multi?.wake()
        }
    }

    /// Cancels what is left and ends the thread.
    func stop() {
        inbox.withLock { inbox in
            inbox.isStopped = true
            inbox.items.append(.event(.stopped))
            inbox.multi?.wake()
        }
    }

    /// What came since the last call, for the thread.
    func take() -> [Item] {
        inbox.withLock { inbox in
            defer { inbox.items = [] }
            return inbox.items
        }
    }

    /// Ends the sharing of the multi handle, for the thread.
    func close() { inbox.withLock { $0.multi = nil } }

    /// Starts the thread where it does not run; false where the system refuses.
    private func start(_ inbox: inout Inbox) -> Bool {
        if inbox.multi != nil { return true }
        guard Self.isCurlReady, let pointer = curl_multi_init() else { return false }
        let multi = MultiHandle(pointer: pointer)
        let context = Unmanaged.passRetained(ThreadStart(loop: self, multi: multi))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
                TransferThread(start.loop, start.multi).run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            curl_multi_cleanup(pointer)
            return false
        }
        pthread_detach(thread)
        inbox.multi = multi
        return true
    }
}

extension TransferLoop.Item {
    /// Whether a later event of the same kind makes this one pointless.
    func isSuperseded(by event: QueueEvent) -> Bool {
        switch (self, event) {
        case (.event(.lifecycle), .lifecycle), (.event(.backgroundTasks), .backgroundTasks): true
        default: false
        }
    }
}

/// What a new thread is given.
private final class ThreadStart {
    let loop: TransferLoop
    let multi: MultiHandle

    init(loop: TransferLoop, multi: MultiHandle) {
        self.loop = loop
        self.multi = multi
    }
}
