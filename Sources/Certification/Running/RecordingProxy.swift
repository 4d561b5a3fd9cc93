package import Faults
internal import Proxying
internal import Trace
package import Wire

/// A proxy before a server on this machine, which records what passes to a trace.
package final class RecordingProxy: Sendable {
    private let proxy: ProxyServer
    private let writer: TraceWriter

    private init(_ proxy: ProxyServer, _ writer: TraceWriter) {
        self.proxy = proxy
        self.writer = writer
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - host: Host of the server.
    ///   - port: Its port.
    ///   - plan: The faults.
    ///   - trace: File of the trace; there must be none.
    ///   - parts: The parts that it uses.
    /// - Returns: The proxy, which accepts connections.
    /// - Throws: ``CertificationError`` where it cannot write the trace or listen.
    package static func start(
        before host: String, _ port: Int, plan: FaultPlan, trace: String, _ parts: Bench.Parts
    ) async throws(CertificationError) -> RecordingProxy {
        let rules = FaultSession(plan: plan, seed: 1)
        let started = parts.clock()
        let writer: TraceWriter
        do {
            writer = try TraceWriter(
                path: trace,
                session: SessionStart(
                    provenance: .proxy, version: parts.version, arguments: parts.arguments,
                    startedUnixNanoseconds: started, seed: rules.seed))
        } catch { throw CertificationError(error.reason) }
        do {
            let proxy = try await ProxyServer.start(
                ProxyConfiguration(
                    listeners: [
                        ProxyListener(
                            host: parts.host, port: parts.port,
                            relay: RelaySettings(
                                mode: .reverse(
                                    ServerAddress(host: host, port: port, isTLS: false)),
                                clock: SessionClock(startedUnixNanoseconds: started)))
                    ],
                    leaves: parts.leaves, trust: parts.trust, faults: rules,
                    session: writer.session, notice: parts.notice),
                sink: writer, threads: 1)
            return RecordingProxy(proxy, writer)
        } catch {
            writer.finish("could not listen")
            throw CertificationError(error.reason)
        }
    }

    /// File of the trace.
    package var trace: String { writer.path }
    /// Port of the proxy, where the client connects to.
    package var port: Int { proxy.ports.first ?? 0 }
    /// The time since the session started.
    package var now: Instant { writer.now() }

    /// Waits until all traffic so far is in the trace.
    package func flush() { writer.flush() }

    /// Ends the proxy, so that the client can change nothing more.
    ///
    /// - Returns: The duration of the session.
    package func close() async -> Instant {
        let end = writer.now()
        await proxy.stop()
        return end
    }

    /// Ends the recording; the trace is complete afterwards.
    package func finish(_ reason: String) { writer.finish(reason) }
}
