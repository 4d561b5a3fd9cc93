/// An event of a ``RequestQueue``.
enum QueueEvent: Hashable, Sendable {
    /// A request was added; numbers grow with each.
    case added(UInt64, Request.Priority, retryCount: Int)
    /// A request that cannot be sent was added.
    case refused(UInt64)
    /// The caller withdrew a request.
    case cancelled(UInt64)
    /// An attempt ended.
    case finished(UInt64, AttemptResult)
    /// The program went to the background or came back.
    case lifecycle(Lifecycle)
    /// The rule for the background changed.
    case backgroundTasks(enabled: Bool)
    /// Time passed.
    case ticked
    /// Nothing will be sent from now on.
    case stopped
}

/// How an attempt ended, as far as the queue cares.
enum AttemptResult: Hashable, Sendable {
    /// With a whole answer.
    case answered(status: Int)
    /// Without one.
    case failed(isTransient: Bool)
}

/// A command of a ``RequestQueue``.
enum QueueCommand: Hashable, Sendable {
    /// Begin an attempt, numbered from 1.
    case start(UInt64, attempt: Int)
    /// End the attempt that runs, without a word.
    case abort(UInt64)
    /// Notify the caller of the result of the last attempt, or of its cancellation.
    case complete(UInt64, attempts: Int, isCancelled: Bool)
}
