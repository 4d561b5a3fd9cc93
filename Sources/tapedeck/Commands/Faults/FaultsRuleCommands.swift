import ArgumentParser
import Notation
import Wire

/// `tapedeck faults list`.
struct FaultsListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rules with counts and state.",
        discussion: """
            Example: tapedeck faults list app.tape
            """)

    @OptionGroup var control: FaultsControl

    func run() throws {
        try control.run("GET", "/v1/rules") { FaultsTable.rules($0) }
    }
}

/// `tapedeck faults add`.
struct FaultsAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a rule after all others; it takes effect at once.",
        discussion: """
            Example: tapedeck faults add app.tape 'api:commcare.restore => 503 first=2'
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "FILTER => ACTION key=value …")
    var rule: String

    func run() throws {
        try control.run("POST", "/v1/rules", .object(JSONMembers("rule", rule))) {
            FaultsTable.rule($0)
        }
    }
}

/// `tapedeck faults change`.
struct FaultsChangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Replace the rule of this name; its counters start at 0.",
        discussion: """
            Example: tapedeck faults change app.tape rule-1 'api:commcare.restore => 401'
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "Name of the rule.")
    var name: String

    @Argument(help: "FILTER => ACTION key=value …")
    var rule: String

    func run() throws {
        try control.run(
            "PUT", FaultsControl.path(rule: name), .object(JSONMembers("rule", rule))
        ) { FaultsTable.rule($0) }
    }
}

/// `tapedeck faults remove`.
struct FaultsRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule.",
        discussion: """
            Example: tapedeck faults remove app.tape rule-1
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "Name of the rule.")
    var name: String

    func run() throws {
        try control.run("DELETE", FaultsControl.path(rule: name)) { _ in "" }
    }
}

/// `tapedeck faults pause`.
struct FaultsPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a rule, or all of them, until resumed.",
        discussion: """
            Example: tapedeck faults pause app.tape rule-1
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "Name of the rule (default: all).")
    var name: String?

    func run() throws { try control.edit("pause", name) }
}

/// `tapedeck faults resume`.
struct FaultsResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused rule, or all of them.",
        discussion: """
            Example: tapedeck faults resume app.tape
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "Name of the rule (default: all).")
    var name: String?

    func run() throws { try control.edit("resume", name) }
}

/// `tapedeck faults reset`.
struct FaultsResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Reset the counters of a rule, or of all of them.",
        discussion: """
            Example: tapedeck faults reset app.tape rule-1
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "Name of the rule (default: all).")
    var name: String?

    func run() throws { try control.edit("reset", name) }
}

extension FaultsControl {
    /// Does something to one rule, or to all.
    fileprivate func edit(_ verb: String, _ name: String?) throws(Failure) {
        guard let name else {
            return try run("POST", "/v1/\(verb)") { FaultsTable.rules($0) }
        }
        try run("POST", Self.path(rule: name, verb)) { FaultsTable.rule($0) }
    }
}
