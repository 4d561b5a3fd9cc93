import ArgumentParser
import Notation
import Wire

/// `tapedeck faults mark`.
struct FaultsMarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Put a mark into the trace, now; rules can wait for it.",
        discussion: """
            Example: tapedeck faults mark app.tape offline
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "Name of the mark.")
    var name: String

    func run() throws {
        try control.run("POST", "/v1/marks", .object(JSONMembers("name", name))) {
            FaultsTable.marks([$0])
        }
    }
}

/// `tapedeck faults marks`.
struct FaultsMarksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "marks", abstract: "List the marks in the order in which they were set.",
        discussion: """
            Example: tapedeck faults marks app.tape
            """)

    @OptionGroup var control: FaultsControl

    func run() throws {
        try control.run("GET", "/v1/marks") { FaultsTable.marks(FaultsTable.list($0["marks"])) }
    }
}

/// `tapedeck faults fire`.
struct FaultsFireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire",
        abstract: "Run an action once, now, on one connection or on all.",
        discussion: """
            Such as send 0:index, send 0:cv:?, send log:1, close-code 1012, close, reset, \
            blackout 10s. A message is sent between messages of an open WebSocket.

            Example: tapedeck faults fire app.tape close-code 1012 --connection 3
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "The action, as after the arrow of a rule.")
    var action: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Number of the connection (default: all).", valueName: "n"))
    var connection: Int64?

    func run() throws {
        var members = JSONMembers("action", action.joined(separator: " "))
        if let connection {
            members.members.append(JSONMembers.Member("connection", .number("\(connection)")))
        }
        try control.run("POST", "/v1/fire", .object(members)) { answer in
            FaultsTable.list(answer["connections"])
                .map { "connection \(FaultsTable.text($0))\n" }.joined()
        }
    }
}

/// `tapedeck faults connections`.
struct FaultsConnectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connections", abstract: "List the connections that are open.",
        discussion: """
            Example: tapedeck faults connections app.tape
            """)

    @OptionGroup var control: FaultsControl

    func run() throws {
        try control.run("GET", "/v1/connections") { FaultsTable.connections($0) }
    }
}

/// `tapedeck faults reload`.
struct FaultsReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the plan's file now; it is also reloaded when it changes.",
        discussion: """
            Example: tapedeck faults reload app.tape
            """)

    @OptionGroup var control: FaultsControl

    func run() throws {
        try control.run("POST", "/v1/reload") { FaultsTable.rules($0) }
    }
}
