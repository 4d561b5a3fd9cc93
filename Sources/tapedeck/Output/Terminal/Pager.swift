import ArgumentParser
import Foundation
import Platform
import Synchronization

/// `--no-pager`.
struct PagerOption: ParsableArguments {
    @Flag(help: "Do not pass output on a terminal through TAPEDECK_PAGER, PAGER or less.")
    var noPager = false

    /// From now on standard output goes through the pager, where it is a terminal.
    func begin() {
        if !noPager { Pager.begin() }
    }
}

/// A program through which long output goes on its way to the terminal, as git does it.
enum Pager {
    private static let process = Mutex<pid_t?>(nil)

    /// The command of the pager; nil for none.
    ///
    /// `TAPEDECK_PAGER` before `PAGER`, else `less` where it is on the path. Empty and `cat` stand for
    /// none, and a terminal without abilities has none.
    static func command(
        _ environment: [String: String], hasProgram: (String) -> Bool
    ) -> String? {
        let chosen = environment["TAPEDECK_PAGER"] ?? environment["PAGER"]
        if let chosen { return chosen.isEmpty || chosen == "cat" ? nil : chosen }
        guard environment["TERM", default: "dumb"] != "dumb", hasProgram("less") else { return nil }
        return "less"
    }

    /// Starts the pager where standard output is a terminal; width and colours stay those of the
    /// terminal.
    static func begin() {
        let environment = ProcessInfo.processInfo.environment
        guard StandardOutput.isTerminal,
            let command = command(environment, hasProgram: { isOnPath($0, environment["PATH"]) })
        else { return }
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        // Ends at once where all fits the screen, shows colours, leaves the text there (git's choice).
        var variables = environment
        variables["LESS"] = environment["LESS"] ?? "FRX"
        let arguments = ["/bin/sh", "-c", command]
        var spawned = pid_t()
        let status = withCStrings(arguments) { arguments in
            withCStrings(variables.map { "\($0)=\($1)" }) {
                posix_spawn(&spawned, "/bin/sh", &actions, nil, arguments, $0)
            }
        }
        close(ends[0])
        guard status == 0 else {
            close(ends[1])
            return
        }
        StandardOutput.keepTerminal()
        dup2(ends[1], 1)
        close(ends[1])
        // The pager decides when reading ends; Ctrl-C is for it.
        signal(SIGINT, SIG_IGN)
        process.withLock { $0 = spawned }
    }

    /// Waits until the reader has left the pager.
    static func finish() {
        guard
            let process = process.withLock({ process in
                defer { process = nil }
                return process
            })
        else { return }
        close(1)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func isOnPath(_ name: String, _ path: String?) -> Bool {
        (path ?? "").split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
