internal import Faults
public import Interception
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
    private let recording: RecordingProxy
    /// File of the trace.
    public var trace: String { recording.trace }

    /// Port of the proxy, where the client connects to.
    public var port: Int { recording.port }
    /// Port of the server on this machine, where the second client connects to.
    public var serverPort: Int { server.port }
    /// The time since the session started.
    public var now: Instant { recording.now }

    private init(_ server: SyncServer, _ recording: RecordingProxy) {
        self.server = server
        self.recording = recording
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
            let recording = try await RecordingProxy.start(
                before: server.host, server.port, plan: plan, trace: trace, parts)
            return Bench(server, recording)
        } catch {
            await server.stop()
            throw error
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
    public func flush() { recording.flush() }

    /// Ends the proxy, so that the client can change nothing more.
    ///
    /// - Returns: The duration of the session.
    public func close() async -> Instant {
        await recording.close()
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
        recording.finish("the scenario was over")
    }
}
