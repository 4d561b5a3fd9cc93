import ArgumentParser
import Filters
import Foundation

/// What is wrong with the words of a command line before the parser sees them: names of commands
/// that are not there, and options of other tools.
enum CommandWords {
    /// Options of mitmproxy, and what they are here.
    static let habits: [(options: [String], commands: [String], advice: String)] = [
        (
            ["-p", "--port", "--listen-port", "--listen-host"],
            ["record", "serve", "replay server"],
            "use --listen HOST:PORT"
        ),
        (
            ["-m", "--mode"], ["record"],
            "use --to URL for reverse:URL, --upstream URL for upstream:URL, --listen for socks5 and transparent, --isolate for local, and nothing for regular"
        ),
        (["-w", "--save-stream-file"], ["record"], "name the trace as the first argument"),
        (["-k", "--ssl-insecure"], ["record"], "use --insecure"),
        (["--ignore-hosts"], ["record"], "use --passthrough HOST"),
        (["--allow-hosts"], ["record"], "use --only HOST"),
        (["--certs"], ["record"], "use --ca-dir DIR"),
        (["--map-local"], ["record"], "use --fault 'path:/x => answer body-file=FILE'"),
        (
            ["-s", "--scripts", "--set"], ["record"],
            "there are no scripts; --fault changes traffic by a rule"
        ),
    ]

    /// The failure for a command line; nil where the parser may go on.
    static func mistake(
        in arguments: [String], of root: any ParsableCommand.Type
    ) -> Failure? {
        let (path, rest, unknown) = walk(arguments, root)
        if let unknown { return unknown }
        let own = rest.prefix { $0 != "--" }
        let command = path.joined(separator: " ")
        for (options, commands, advice) in habits where commands.contains(command) {
            let found = own.first { word in
                options.contains { word == $0 || word.hasPrefix($0 + "=") && $0.hasPrefix("--") }
            }
            if let found {
                let option = found.prefix { $0 != "=" }
                return Failure(
                    .usage, "tapedeck \(command) has no \(option): \(advice)")
            }
        }
        if ["ls", "tail"].contains(command) {
            let negated = own.first { $0.wholeMatch(of: #/-[a-z.]+[:=~].*/#) != nil }
            if let negated {
                return Failure(
                    .usage,
                    "a shell passes \(ListLine.clean(negated)) as an option: write 'not \(negated.dropFirst())'"
                )
            }
        }
        return nil
    }

    /// The words of the command that a line names, such as `faults check`.
    static func command(in arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        walk(arguments, root).path
    }

    /// The parser's message in one line, with what it leaves out and the place that says more.
    static func usage(
        _ message: String, _ arguments: [String], of root: any ParsableCommand.Type
    ) -> String {
        let words = ["tapedeck"] + command(in: arguments, of: root)
        let lines = message.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let values = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }
        var line = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
        if !values.isEmpty { line += " \(values.joined(separator: ", "))" }
        if line.hasSuffix(".") { line.removeLast() }
        if line.contains(#/:[0-9]{5,}' is invalid/#) { line += ": a port is at most 65535" }
        if line.hasPrefix("Missing value for"),
            let value = arguments.first(where: { $0.wholeMatch(of: #/-[0-9].*/#) != nil })
        {
            line += ", as \(ListLine.clean(value)) begins like an option; write it after ="
        }
        return "\(ListLine.clean(line)); see \(words.joined(separator: " ")) --help"
    }

    /// Follows the names of commands as far as there are any.
    private static func walk(
        _ arguments: [String], _ root: any ParsableCommand.Type
    ) -> (path: [String], rest: ArraySlice<String>, unknown: Failure?) {
        var (path, rest, group) = ([String](), arguments[...], root)
        while let word = rest.first, !group.configuration.subcommands.isEmpty {
            let commands = group.configuration.subcommands
            let names = commands.map { $0.configuration.commandName ?? "" }
            guard let index = names.firstIndex(of: word) else {
                guard !word.hasPrefix("-"), word != "help" || !path.isEmpty else { break }
                return (path, rest, noCommand(word, path, names))
            }
            path.append(word)
            rest = rest.dropFirst()
            group = commands[index]
        }
        return (path, rest, nil)
    }

    private static func noCommand(
        _ word: String, _ path: [String], _ names: [String]
    ) -> Failure {
        let nearest = NearestNames.of(word, among: names)
        let place = (["tapedeck"] + path).joined(separator: " ")
        return Failure(
            .usage,
            "there is no command \(place) \(ListLine.clean(word))"
                + (nearest.isEmpty
                    ? "; \(place) --help lists all" : NearestNames.question(nearest)))
    }
}
