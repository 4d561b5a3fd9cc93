import ArgumentParser
import Foundation
import Inspection
import Platform
import Trace

/// `tapedeck inspect`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract:
            "Look at traces in a browser: lists, timelines, state, findings; live while they are recorded.",
        discussion: """
            Serves a page on this machine and prints `inspector at URL`, with a token that the page \
            exchanges for a cookie. Of a trace that is being recorded it shows what comes, and its rules \
            and held messages can be changed. Everything the page does goes through an HTTP API, which \
            GET /v1/openapi.json describes. SIGINT or SIGTERM ends it.

            Examples:
              tapedeck inspect app.tape --open
              tapedeck inspect good.tape bad.tape
            """)

    @Argument(help: "The traces.", completion: .file())
    var traces: [String]

    @Option(
        help: ArgumentHelp(
            "Listen here (default: a free port of 127.0.0.1).", valueName: "host:port"))
    var listen: ListenAddress?

    @Option(
        help: ArgumentHelp(
            "Keep the findings that pages ignore in this file, as `diagnose --baseline` takes it (default: TRACE.baseline).",
            valueName: "FILE"), completion: .file())
    var baseline: String?

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Flag(help: "Let pages change nothing: no rules, no held messages, no replays, no baselines.")
    var readOnly = false

    func run() async throws {
        for trace in traces { _ = try TraceReader.opened(trace) }
        let place = listen ?? ListenAddress(host: "127.0.0.1", port: 0)
        var configuration = InspectionConfiguration(
            traces: traces.map { trace in
                .init(
                    path: Folder.absolute(trace),
                    baselinePath: baseline.map { Folder.absolute($0) })
            }, tools: InspectorTools(),
            version: Program.version)
        configuration.host = place.host
        configuration.port = place.port
        configuration.isReadOnly = readOnly
        let signal = StopSignal()
        let inspector = try await Inspector.start(configuration)
        StandardOutput.write("inspector at \(inspector.url)\n")
        if open { Inspector.open(inspector.url) }
        await signal.wait()
        await inspector.stop()
    }
}

/// Starts the inspector for commands.
enum Inspector {
    /// Starts it.
    ///
    /// - Parameter configuration: What is inspected, and where.
    /// - Returns: The server.
    /// - Throws: ``Failure`` where it cannot listen.
    static func start(
        _ configuration: InspectionConfiguration
    ) async throws(Failure) -> InspectionServer {
        var configuration = configuration
        configuration.names = LocalAddresses.names(listening: configuration.host)
        do throws(InspectionError) {
            return try await InspectionServer.start(configuration)
        } catch {
            throw Failure(error.isTaken ? .temporary : .io, error.description)
        }
    }

    /// Opens a page in the user's browser, or says that there is none.
    static func open(_ url: String) {
        #if canImport(Darwin)
        let names = ["open"]
        #else
        let names = ["xdg-open", "sensible-browser", "x-www-browser"]
        #endif
        guard let path = names.lazy.compactMap(ClientProcess.path(of:)).first else {
            return StandardError.warn("no browser was found; open the address by hand")
        }
        let nothing = Platform.open("/dev/null", O_RDWR | O_CLOEXEC)
        let child = try? ChildProcess(
            path, arguments: [path, url], environment: ProcessInfo.processInfo.environment,
            streams: .init(input: nothing, output: nothing, error: nothing))
        if nothing >= 0 { close(nothing) }
        BlockingWork.start("browser") { _ = child?.wait() }
    }
}
