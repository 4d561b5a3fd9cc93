import ArgumentParser
import Control
import Dissection
import Faults
import Foundation
import Inspection
import Interception
import Proxying
import Sessions
import Trace
import Wire

/// `tapedeck record`.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record traffic between clients and servers to a trace, as a proxy.",
        discussion: """
            Without --to it is a proxy for the client (HTTP with absolute URLs and CONNECT, and \
            SOCKS, distinguished by the first byte); with --to it acts as the server. Bytes are forwarded unchanged, apart from the documented \
            rewrites. The first line of output is `listening on HOST:PORT`; SIGINT or SIGTERM \
            ends the recording with a summary, a second signal at once. With COMMAND it records \
            while that runs and exits with its status, else with 1 where a finding or a fault \
            without recovery fails it; standard output is the command's.

            Examples:
              tapedeck record app.tape --to https://www.commcarehq.org
              tapedeck record app.tape --faults flaky-mobile --diagnose -- pytest tests
            """)

    @Argument(help: "The trace to write; one that exists gains a session.", completion: .file())
    var trace: String

    @OptionGroup var command: WrappedCommand

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address to listen on, for what --to says, else for HTTP and SOCKS proxying; http://HOST:PORT and socks5://[USER:PASSWORD@]HOST:PORT for one of these, reverse:PORT=URL to act as that server, transparent:PORT and tproxy:PORT for connections that the system redirects (tapedeck redirect); may be repeated; port 0 asks for a free one (default: 127.0.0.1:8080, with COMMAND a free port).",
            valueName: "host:port"))
    var listen: [ListenerArgument] = []

    @Flag(
        help:
            "Run COMMAND in a network of its own and record every connection that it makes, without settings of its own and without root (Linux)."
    )
    var isolate = false

    @Option(help: ArgumentHelp("Act as this server (reverse proxy).", valueName: "url"))
    var to: String?

    @Flag(help: "With --to or reverse: do not rewrite Host, Origin and Location.")
    var keepHost = false

    @Option(
        help: ArgumentHelp(
            "With --to: answer to this host name (or *.host) as well; may be repeated.",
            valueName: "name"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "Record this host (or *.host) and relay the rest unrecorded; may be repeated.",
            valueName: "host"))
    var only: [String] = []

    @Flag(
        help:
            "Take Alt-Svc out of responses, so that clients do not go on with HTTP/3, which is not recorded."
    )
    var stripAltSvc = false

    @Option(
        help: ArgumentHelp(
            "Relay the TLS of this host (or *.host) without decrypting it; may be repeated.",
            valueName: "host"))
    var passthrough: [String] = []

    @OptionGroup var authority: AuthorityOptions

    @OptionGroup var faults: FaultOptions

    @Option(
        help: ArgumentHelp(
            "Hold what this filter finds until `tapedeck hold` decides about it; may be repeated.",
            valueName: "filter"))
    var hold: [String] = []

    @OptionGroup var addons: AddonOptions

    @OptionGroup var control: ControlOptions

    @OptionGroup var inspection: InspectOptions

    @OptionGroup var outward: OutwardOptions

    @Option(
        name: .customLong("server-ca"),
        help: ArgumentHelp(
            "Trust the authorities in this PEM file for servers, besides the system's; may be repeated.",
            valueName: "file"), completion: .file())
    var serverCA: [String] = []

    @Flag(help: "Accept any certificate of servers.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            "Append the secrets of TLS sessions to this file, for Wireshark.", valueName: "file"),
        completion: .file())
    var keylog: String?

    @Flag(help: "Report which rules clients and servers break, within 1 second.")
    var diagnose = false

    @Option(
        help: ArgumentHelp(
            "With --diagnose: the time after which each duty counts as not done, in place of the deadlines of the rules.",
            valueName: "duration"))
    var patience: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "With --diagnose and COMMAND: exit with status 1 if there is a finding of this severity or a worse one; with undecided, also if something could not be decided, about a fault too.",
            valueName: "error|warning|info|undecided|never"))
    var failOn = FailOn.error

    @Flag(
        name: .shortAndLong,
        help: "Print no line for each exchange and command; with COMMAND none is printed.")
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "Keep the trace below this size (such as 500MB) by deleting the oldest traffic.",
            valueName: "size"))
    var maxSize: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Delete traffic older than this (such as 2h).",
            valueName: "duration"))
    var keepLast: TimeSpan?

    @Flag(
        help:
            "Let --max-size and --keep-last delete what was not shipped yet of a trace that is shipped."
    )
    var evictUnshipped = false

    @Option(
        help: ArgumentHelp(
            "Ship the trace to this fleet beside the recording, as tapedeck ship does; what cannot be shipped stays in the trace.",
            valueName: "url"))
    var ship: String?

    @OptionGroup var shipping: ShippingArguments

    @Option(
        help: ArgumentHelp(
            "When the disk is full: forward traffic and record what is missing, or stop.",
            valueName: "pass|stop"))
    var onDiskFull = OnDiskFull.pass

    @Option(
        help: ArgumentHelp(
            "Memory for traffic waiting to be written, and as much for traffic waiting for peers, for all connections together.",
            valueName: "size"))
    var memory: ByteCount?

    func run() async throws {
        try command.begin("the recording")
        try checkHosts()
        let fleet = try ship.map { try shipping.options(to: $0) }
        if fleet == nil, shipping.isGiven {
            throw Failure(
                .usage,
                "--label, --no-redact, --password-file, --redact-name, --redact-pattern and --redaction-key go with --ship"
            )
        }
        // What does not go together is said before anything is written.
        _ = try listeners(RelaySettings(mode: .forward))
        let ways = try outward.outward()
        let upstream = try outward.rules()
        let rules = try rules()
        let keyLog = try keylog.map { path in try intercepting { try KeyLog(path: path) } }
        if let notice = keyLog?.notice { StandardError.write("tapedeck: \(notice)\n") }
        for file in serverCA where !FileManager.default.isReadableFile(atPath: file) {
            throw Failure(.noInput, "--server-ca \(file) cannot be read; check the name")
        }
        let certificates = try outward.certificates()
        let authority = try authority.open()
        let leaves = try intercepting {
            try LeafCache(
                authority: authority, minimum: outward.tlsMin.version,
                asksClients: outward.askClientCertificate, keyLog: keyLog)
        }
        let trust = try intercepting {
            try ServerTrust(
                insecure ? .insecure : .full(additionalRoots: serverCA),
                minimum: outward.tlsMin.version, certificates: certificates, keyLog: keyLog)
        }
        if insecure {
            StandardError.write("tapedeck: --insecure: certificates of servers are not verified\n")
        }
        var relay = RelaySettings(
            mode: .forward, keepsHost: keepHost, only: only.map(HostPattern.init),
            passthrough: passthrough.map(HostPattern.init))
        relay.ownPages = try intercepting { try AuthorityPages.all(authority) }
        relay.stripsAltSvc = stripAltSvc
        relay.upstream = upstream
        let started = Int64(Date().timeIntervalSince1970 * 1e9)
        relay.clock = SessionClock(startedUnixNanoseconds: started)
        var listeners = try listeners(relay)
        let isolation = try isolated(trusting: authority)
        defer { isolation?.folder.remove() }
        if let isolation { listeners += self.listeners(of: isolation.network, relay) }
        let signal = StopSignal()
        let stopped = StopReason()
        let lines = LiveLines(isQuiet: quiet || command.isGiven)
        let writer = try openTrace(rules, started, lines: lines, signal: signal, stopped: stopped)
        if rules != nil { lines.nameFaults(in: writer.path) }
        let shipped: RecordedShipping?
        do {
            shipped = try fleet.map { try RecordedShipping($0, trace: writer.path) }
        } catch {
            writer.finish("could not be shipped")
            throw error
        }
        let live: LiveDiagnosis?
        do {
            live =
                diagnose
                ? try LiveDiagnosis(writer, patienceNanoseconds: patience?.nanoseconds) {
                    StandardOutput.write(FindingText.line($0) + "\n")
                } : nil
        } catch {
            writer.finish("could not be diagnosed")
            throw error
        }
        let judges: RecordedAddons?
        do {
            judges =
                try addons.addon.isEmpty
                ? nil : rules.map { try RecordedAddons(addons, session: $0, writer: writer) }
        } catch {
            live?.stop()
            writer.finish("an add-on does not run")
            throw error
        }
        var configuration = ProxyConfiguration(
            listeners: listeners, leaves: leaves, trust: trust,
            heldBytes: memory.map { Int($0.bytes) } ?? TraceOptions().budget,
            faults: rules, session: writer.session,
            notice: { StandardError.write("\($0)\n") })
        configuration.outward = ways
        configuration.clientPart = {
            ClientPart.html($0, userAgent: $1, unixSeconds: $2)
        }
        let proxy: ProxyServer
        let names: [NameServer]
        do {
            names = try await answer(isolation?.network, configuration)
            proxy = try await ProxyServer.start(
                configuration, sink: writer, threads: ProcessInfo.processInfo.activeProcessorCount)
        } catch {
            judges?.finish(isAborted: true)
            live?.stop()
            writer.finish("could not listen")
            throw Failure(error)
        }
        judges?.serve(proxy)
        let control: ControlServer?
        do {
            control = try await openControl(rules, proxy, writer)
        } catch {
            await proxy.stop()
            judges?.finish(isAborted: true)
            live?.stop()
            writer.finish("could not be controlled")
            throw error
        }
        sayListening(proxy.ports)
        if let address = control?.address, let token = control?.token {
            StandardOutput.write("control at http://\(address) token \(token)\n")
        }
        let inspector: InspectionServer?
        do {
            inspector = try await inspection.start(
                writer.path, controlPath: control?.unixPath,
                recording: setup(proxy, authority))
        } catch {
            await control?.stop()
            await proxy.stop()
            judges?.finish(isAborted: true)
            live?.stop()
            writer.finish("could not be inspected")
            throw error
        }
        if !command.isGiven { StandardOutput.write(uses(proxy.ports)) }
        lines.start()
        let outcome =
            if let isolation {
                await command.run(isolation.network, signal)
            } else {
                await command.run(environment(ports: proxy.ports), trusting: authority, signal)
            }
        if case .ended = outcome { await lastBytes(of: proxy) }
        await inspector?.stop()
        await control?.stop()
        for server in names { await server.stop() }
        await proxy.stop()
        judges?.finish()
        live?.stop()
        let unmatched = rules?.unmatched ?? []
        _ = writer.put(unmatched.map { UnmatchedRule.record($0, at: writer.now()) })
        let totals = writer.finish(stopped.detail ?? "stopped") { share in
            if StandardError.isTerminal {
                StandardError.write(
                    "\rindexing for search: \(Int(share * 100)) %\(share < 1 ? "" : "\n")")
            }
            return true
        }
        Summary.print(totals, trace: writer.path)
        var wrong: [String] = []
        if let live { wrong += sayWhatWasFound(live, writer) }
        if rules != nil { wrong += sayWhatBecameOfFaults(unmatched, writer) }
        shipped?.finish()
        if let failure = stopped.failure ?? writer.failure.map(Failure.init) { throw failure }
        try outcome.check(
            wrong.isEmpty || !command.isGiven
                ? nil : Failure(.failed, "\(wrong.joined(separator: "; ")) in \(writer.path)"))
    }

    private func openTrace(
        _ rules: FaultSession?, _ started: Int64, lines: LiveLines, signal: StopSignal,
        stopped: StopReason
    ) throws(Failure) -> TraceWriter {
        var options = TraceOptions()
        options.onDiskFull = onDiskFull.option
        options.maxSize = maxSize?.bytes
        options.keepLast = keepLast?.nanoseconds
        options.evictsUnshipped = evictUnshipped
        if let memory { options.budget = Int(memory.bytes) }
        options.onCommit = { lines.show($0) }
        options.onWarning = { StandardError.write("tapedeck: \($0)\n") }
        options.onStop = { error in
            stopped.set(Failure(error))
            signal.stop()
        }
        let notice = { (line: String) in StandardError.write("tapedeck: \(line)\n") }
        let path = try TraceAccess.path(trace, notice: notice)
        let writer: TraceWriter
        do {
            writer = try TraceWriter(
                path: path,
                session: SessionStart(
                    provenance: .proxy, version: Program.version,
                    arguments: CommandWords.withoutPasswords(CommandLine.arguments.dropFirst()),
                    startedUnixNanoseconds: started, seed: rules?.seed),
                options: options)
        } catch {
            throw Failure(error)
        }
        do throws(Failure) {
            try TraceAccess.tighten(path, notice: notice)
        } catch {
            writer.finish("others can read the trace")
            throw error
        }
        return writer
    }

    private func intercepting<T>(_ body: () throws -> T) throws(Failure) -> T {
        do {
            return try body()
        } catch let error as InterceptionError {
            throw Failure(error)
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(.software, "\(error)")
        }
    }
}
