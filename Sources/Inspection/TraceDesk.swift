internal import NIOCore
internal import Serving
internal import Trace

/// Reads a trace on a thread of its own, one reading after the other.
actor TraceDesk {
    private let path: String
    private let loop: any EventLoop
    private var opened: TraceReader?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.executor.asUnownedSerialExecutor()
    }

    /// A desk for the trace at `path`, whose readings block the thread of `loop`.
    init(path: String, on loop: any EventLoop) {
        self.path = path
        self.loop = loop
    }

    /// Reads.
    ///
    /// - Throws: ``ServedProblem`` where the trace cannot be read.
    func read<T: Sendable>(
        _ body: @Sendable (TraceReader) throws(TraceError) -> T
    ) throws(ServedProblem) -> T {
        do throws(TraceError) {
            return try body(try reader())
        } catch {
            throw ServedProblem(error)
        }
    }

    private func reader() throws(TraceError) -> TraceReader {
        if let opened { return opened }
        let reader = try TraceReader(path: path)
        opened = reader
        return reader
    }
}

extension ServedProblem {
    /// Why the trace cannot be read.
    init(_ error: TraceError) {
        self.init(
            500, "unreadable", "\(error)",
            hint: "check the file with tapedeck doctor, then reload the page")
    }
}
