import Certification
import Foundation
import Interception
import Platform
import Reproduction

/// Plays reproductions to programs.
struct RetestPlayer {
    private let parts: Bench.Parts

    /// The built-in client, as a command.
    static let builtIn = [
        Processes.ownPath ?? CommandLine.arguments[0], "certify", "drive",
    ]

    /// A player whose clients connect to `host`.
    init(
        authority: AuthorityOptions, host: String = "127.0.0.1", port: Int = 0
    ) throws(Failure) {
        // The proxy reports from its event loops.
        StandardError.detach()
        parts = try Bench.Parts(authority, host: host, port: port)
    }

    /// Plays a reproduction to a client.
    ///
    /// - Parameters:
    ///   - reproduction: The reproduction.
    ///   - folder: Its folder.
    ///   - output: A folder for the trace and the client's output; what an earlier test left in it is
    ///     replaced.
    ///   - command: The client under test and its arguments.
    ///   - patienceSeconds: Seconds after which each duty counts as not done.
    ///   - progress: Receives the seconds that have passed.
    /// - Returns: What became of it.
    /// - Throws: ``Failure`` where it cannot be played.
    func play(
        _ reproduction: Reproduction, in folder: String, output: String, command: [String],
        patienceSeconds: Double? = nil, progress: (Double) -> Void
    ) async throws(Failure) -> RetestResult {
        do {
            let output = URL(fileURLWithPath: output).path
            let files = FileManager.default
            try files.createDirectory(
                atPath: output, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            for name in ["session.tape", "session.tape-wal", "session.tape-shm", "client.log"] {
                try? files.removeItem(atPath: "\(output)/\(name)")
            }
            return try await Retest(
                reproduction, in: URL(fileURLWithPath: folder).path, output: output, parts: parts,
                patienceSeconds: patienceSeconds
            ).run(
                { environment, log throws(CertificationError) in
                    try ClientProcess(command, environment: environment, log: log)
                }, progress: progress)
        } catch let error as CertificationError {
            throw Failure(.software, error.reason)
        } catch { throw Failure(.io, "\(output): \(error.localizedDescription)") }
    }
}

extension Bench.Parts {
    /// The parts of this program, with the certificates of an authority.
    init(_ options: AuthorityOptions, host: String, port: Int) throws(Failure) {
        do {
            self.init(
                leaves: try LeafCache(authority: options.open()),
                trust: try ServerTrust(.full(additionalRoots: [])), host: host, port: port,
                version: Program.version,
                arguments: CommandLine.arguments.dropFirst().joined(separator: " "),
                clock: { Int64(Date().timeIntervalSince1970 * 1e9) },
                notice: { StandardError.write("tapedeck: \($0)\n") })
        } catch let error as InterceptionError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(.software, "\(error)") }
    }
}
