import ArgumentParser
import Notation
import Simperium
import Wire

/// `tapedeck simperium`: diffs, changes and messages, without a socket.
struct SimperiumGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simperium",
        abstract: "Diff, apply and transform Simperium changes; parse messages.",
        discussion: """
            A JSON argument is its text, @FILE, or - for standard input. Results are JSON on one \
            line. An impossible operation is reported with its reason; the exit status is 65.
            """,
        subcommands: [
            SimperiumDiffCommand.self, SimperiumApplyCommand.self, SimperiumTransformCommand.self,
            SimperiumParseCommand.self,
        ])
}

/// Which operations a diff uses where there is a choice.
struct PolicyOptions: ParsableArguments {
    enum Lists: String, ExpressibleByArgument, CaseIterable {
        case replace, list
        case listText = "list-text"
    }

    enum Integers: String, ExpressibleByArgument, CaseIterable {
        case replace, increment
    }

    enum Strings: String, ExpressibleByArgument, CaseIterable {
        case delta, replace
    }

    @Option(help: "Arrays: replaced whole (r), by element (L) or by line of text (dL).")
    var lists = Lists.replace

    @Option(help: "Whole numbers: replaced (r) or the difference added (I).")
    var integers = Integers.replace

    @Option(help: "Strings: by delta (d) or replaced whole (r).")
    var strings = Strings.delta

    var policy: DiffPolicy {
        DiffPolicy(
            lists: lists == .replace ? .replace : lists == .list ? .list : .listText,
            integers: integers == .replace ? .replace : .increment,
            strings: strings == .delta ? .delta : .replace)
    }
}

/// `tapedeck simperium diff`.
struct SimperiumDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print the map of operations (the v of a change) that turns A into B.",
        discussion: """
            As in jsondiff, numbers are compared by value: 1 and 1.0 are the same, so that there \
            is no operation, and a server would answer 412. Such numbers are named on standard \
            error.

            Example: tapedeck simperium diff '{"a": 1}' '{"a": 2}'
            """)

    @Argument(help: "The JSON object as it is.")
    var old: JSONArgument

    @Argument(help: "The JSON object as it will be.")
    var new: JSONArgument

    @OptionGroup var options: PolicyOptions

    func run() throws {
        try [old, new].checkStandardInput()
        let (old, new) = (try old.value("A"), try new.value("B"))
        do {
            StandardOutput.write(try JSONDiff.diff(old, new, policy: options.policy).text() + "\n")
            for same in JSONDiff.sameNumbers(old, new) {
                StandardError.warn(
                    "\(same.path): \(same.old) and \(same.new) are the same number, which is no "
                        + "change")
            }
        } catch {
            throw Failure(.data, "there is no diff: \(error)")
        }
    }
}

/// `tapedeck simperium apply`.
struct SimperiumApplyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a map of operations to an object and print the result.",
        discussion: """
            Example: tapedeck simperium apply '{"a": 1}' '{"a": {"o": "r", "v": 2}}'
            """)

    @Argument(help: "The JSON object.")
    var base: JSONArgument

    @Argument(help: "The map of operations: the v of a change.")
    var diff: JSONArgument

    func run() throws {
        try [base, diff].checkStandardInput()
        let (base, diff) = (try base.value("BASE"), try diff.value("DIFF"))
        do {
            StandardOutput.write(try JSONDiff.apply(diff, to: base).text() + "\n")
        } catch {
            throw Failure(.data, "the diff does not apply: \(error)")
        }
    }
}

/// `tapedeck simperium transform`.
struct SimperiumTransformCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transform",
        abstract: "Transform a local map of operations against a remote one and print it.",
        discussion: """
            Both apply to BASE; the result applies to BASE with the remote one applied. It is {} \
            where nothing is left to do.

            Example: tapedeck simperium transform MINE THEIRS OBJECT
            """)

    @Argument(help: "The local map of operations.")
    var local: JSONArgument

    @Argument(help: "The remote map of operations, which comes first.")
    var remote: JSONArgument

    @Argument(help: "The JSON object that both apply to.")
    var base: JSONArgument

    @OptionGroup var options: PolicyOptions

    func run() throws {
        try [local, remote, base].checkStandardInput()
        let (local, remote) = (try local.value("LOCAL"), try remote.value("REMOTE"))
        let base = try base.value("BASE")
        do {
            let result = try JSONDiff.transform(
                local, over: remote, base: base, policy: options.policy)
            StandardOutput.write(result.text() + "\n")
        } catch {
            throw Failure(.data, "cannot transform: \(error)")
        }
    }
}
