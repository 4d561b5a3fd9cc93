import ArgumentParser
import SyncServers

/// `tapedeck serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run a CommCare and a Simperium server on one port, with no network.",
        discussion: """
            Takes any user with any password and any token of 32 or more letters and digits; what \
            it is told is gone when it stops. The first line of output is `listening on HOST:PORT`.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Address to listen on; port 0 asks for a free one.", valueName: "host:port"))
    var listen = ListenAddress(host: "127.0.0.1", port: 8000)

    @Option(
        help: ArgumentHelp(
            "Answer this often with 202 and progress before a restore is given.",
            valueName: "n"))
    var restorePolls = 0

    @Option(
        help: ArgumentHelp("Seconds that a 202 asks the client to wait.", valueName: "seconds"))
    var retryAfter = 1

    func run() async throws {
        guard restorePolls >= 0, retryAfter > 0 else {
            throw Failure(.usage, "--restore-polls is at least 0 and --retry-after at least 1")
        }
        var options = SyncServer.Options()
        options.commCare.restorePolls = restorePolls
        options.commCare.retryAfter = retryAfter
        let server: SyncServer
        do {
            server = try await SyncServer.start(
                host: listen.host, port: listen.port, options: options)
        } catch {
            throw Failure(.io, error.reason)
        }
        StandardOutput.write("listening on \(ListenAddress.text(listen.host, server.port))\n")
        await StopSignal().wait()
        await server.stop()
    }
}
