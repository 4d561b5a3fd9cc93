internal import Faults
public import Interception
internal import Proxying
internal import SyncServers
internal import Trace
public import Wire

/// An embedded server with a recording proxy before it, for one scenario.
public final class Bench: Sendable {
    /// The parts that a bench uses.
    public struct Parts: Sendable {
        /// Certificates for clients that speak TLS.
        public var leaves: LeafCache
        /// The certificates that servers have to present.
        public var trust: ServerTrust
        /// Host to listen on.
        public var host: String
        /// Port of the proxy; 0 asks for a free one.
        public var port: Int
        /// Version of the program, for the trace.
        public var version: String
        /// The command line, for the trace.
        public var arguments: String
        /// Wall clock in nanoseconds since 1970 UTC.
        public var clock: @Sendable () -> Int64
        /// Receives messages for the user.
        public var notice: @Sendable (String) -> Void

        /// Parts with these values.
        public init(
            leaves: LeafCache, trust: ServerTrust, host: String = "127.0.0.1", port: Int = 0,
            version: String, arguments: String, clock: @escaping @Sendable () -> Int64,
            notice: @escaping @Sendable (String) -> Void
        ) {
            self.leaves = leaves
            self.trust = trust
            self.host = host
            self.port = port
            self.version = version
            self.arguments = arguments
            self.clock = clock
            self.notice = notice
        }
    }

    private let server: SyncServer
    private let proxy: ProxyServer
    private let writer: TraceWriter
    /// File of the trace.
    public let trace: String

    /// Port of the proxy, where the client connects to.
    public var port: Int { proxy.port }
    /// Port of the server on this machine, where the second client connects to.
    public var serverPort: Int { server.port }
    /// The time since the session started.
    public var now: Instant { writer.now() }

    private init(_ server: SyncServer, _ proxy: ProxyServer, _ writer: TraceWriter) {
        self.server = server
        self.proxy = proxy
        self.writer = writer
        trace = writer.path
    }

    /// The accounts: a user with a token, and another one with the same password.
    static func accounts(
        _ suite: Suite.Name, _ identity: Identity
    ) throws(CertificationError) -> Accounts {
        do {
            return try Accounts(
                yaml: """
                    users:
                      - name: \(suite == .simperium ? Identity.address : Identity.user)
                        password: \(identity.password)
                        uuid: \(Identity.userID)
                        tokens: [\(identity.token)]
                      - name: \(Identity.otherUser)
                        password: \(identity.password)
                        uuid: \(Identity.otherUserID)
                    """)
        } catch {
            throw CertificationError("the accounts of the server cannot be read: \(error)")
        }
    }

    /// Starts the server alone, then the proxy before it.
    ///
    /// - Parameters:
    ///   - scenario: The scenario with the faults and the server's settings.
    ///   - suite: Its suite.
    ///   - identity: The password and the token of its users.
    ///   - trace: File of the trace; there must be none.
    ///   - parts: The parts that it uses.
    ///   - seed: Creates the initial data on the server, whose port it receives, before anything is
    ///     recorded.
    /// - Returns: The bench, which accepts connections.
    /// - Throws: ``CertificationError`` where a part of it cannot be started.
    public static func start(
        _ scenario: Scenario, of suite: Suite.Name, as identity: Identity, trace: String,
        _ parts: Parts,
        seed: (Int) async throws(CertificationError) -> Void
    ) async throws(CertificationError) -> Bench {
        let plan = try plan(scenario)
        let server: SyncServer
        do {
            var options = SyncServer.Options(
                commCare: CommCareServer.Options(restorePolls: scenario.server.restorePolls),
                accounts: try accounts(suite, identity), notice: parts.notice)
            options.cookie = scenario.server.setsCookie ? Identity.cookie : nil
            options.pingSeconds = scenario.server.pingSeconds
            server = try await SyncServer.start(options: options)
        } catch let error as SyncServerError {
            throw CertificationError(error.reason)
        } catch {
            throw CertificationError("\(error)")
        }
        do throws(CertificationError) {
            try await seed(server.port)
            return try await start(plan, server, trace, parts)
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func start(
        _ plan: FaultPlan, _ server: SyncServer, _ trace: String, _ parts: Parts
    ) async throws(CertificationError) -> Bench {
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
                    host: parts.host, port: parts.port,
                    relay: RelaySettings(
                        mode: .reverse(
                            ServerAddress(host: server.host, port: server.port, isTLS: false)),
                        clock: SessionClock(startedUnixNanoseconds: started)),
                    leaves: parts.leaves, trust: parts.trust, faults: rules,
                    session: writer.session, notice: parts.notice),
                sink: writer, threads: 1)
            return Bench(server, proxy, writer)
        } catch {
            writer.finish("could not listen")
            throw CertificationError(error.reason)
        }
    }

    /// The faults of a scenario.
    ///
    /// - Throws: ``CertificationError`` where a line is not a rule.
    static func plan(_ scenario: Scenario) throws(CertificationError) -> FaultPlan {
        var plan = FaultPlan()
        for line in scenario.faults {
            do throws(FaultPlanError) { plan = try plan.adding(line: line) } catch {
                throw CertificationError("\(scenario.id): \(error.report())")
            }
        }
        return plan
    }

    /// Waits until all traffic so far is in the trace.
    public func flush() { writer.flush() }

    /// Ends the proxy, so that the client can change nothing more.
    ///
    /// - Returns: The duration of the session.
    public func close() async -> Instant {
        let end = writer.now()
        await proxy.stop()
        return end
    }

    /// What the server has.
    ///
    /// - Parameter suite: The suite, whose protocol decides what is looked at.
    /// - Returns: The state, without that of a second client.
    public func state(of suite: Suite) -> EndState {
        switch suite.name {
        case .simperium:
            return EndState(objects: server.objects(app: suite.app, bucket: Suite.bucket))
        case .commcare:
            let (forms, cases) = server.filed(domain: suite.app)
            return EndState(forms: forms, cases: cases)
        }
    }

    /// Ends everything; the trace is complete afterwards.
    public func stop() async {
        await server.stop()
        writer.finish("the scenario was over")
    }
}
