package import Dispatch

/// Work that waits: for a process, for a socket, for the system's resolver.
///
/// Concurrent queues and Swift's tasks share as many threads as there are processors, and where those
/// wait, another one comes a second later: on one processor a single wait holds up everything. A serial
/// queue has a thread as soon as it has work, up to 255 of all such queues.
package enum BlockingWork {
    /// A queue for work that follows each other.
    ///
    /// - Parameters:
    ///   - name: Its name, for who looks at threads.
    ///   - qos: How urgent it is.
    /// - Returns: The queue.
    package static func queue(_ name: String, _ qos: DispatchQoS = .unspecified) -> DispatchQueue {
        DispatchQueue(label: name, qos: qos)
    }

    /// Begins work that waits for nothing else to end.
    ///
    /// - Parameters:
    ///   - name: The name of its queue.
    ///   - body: The work.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        queue(name).async(execute: body)
    }

    /// Does work while the caller's task waits without a thread.
    ///
    /// - Parameters:
    ///   - name: The name of its queue.
    ///   - body: The work.
    /// - Returns: What `body` returned.
    package static func result<Value: Sendable>(
        _ name: String, of body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            start(name) { continuation.resume(returning: body()) }
        }
    }
}
