import ArgumentParser
import Foundation
import Notation
import SyncClients
import Wire

/// `tapedeck client simperium`: a whole Simperium client.
struct ClientSimperiumCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simperium",
        abstract: "Sync buckets with a Simperium server: watch, read and edit objects.",
        discussion: """
            Exits with status 0 when the server has acknowledged everything, 75 when it must be \
            tried later, 65 when the server refused it for good and 69 when the server is \
            unreachable. With \
            --state, what was not sent is kept and sent the next time.
            """,
        subcommands: [
            ClientSimperiumWatch.self, ClientSimperiumGet.self, ClientSimperiumSet.self,
            ClientSimperiumDelete.self, ClientSimperiumEdit.self, ClientSimperiumSync.self,
            ClientSimperiumRun.self,
        ])
}

/// `tapedeck client simperium watch`.
struct ClientSimperiumWatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print what happens to objects until stopped.",
        discussion: """
            Example: tapedeck client simperium watch --to http://127.0.0.1:8000 --app app --bucket notes --token TOKEN
            """)

    @OptionGroup var options: ClientSimperiumOptions

    @Flag(help: "Print each event as a JSON object.")
    var json = false

    func run() async throws {
        let patience = SimperiumPatience(limit: options.wait)
        try await options.run(
            try options.client(), SimperiumWatcher(json ? .json : .text, patience: patience))
    }
}

/// `tapedeck client simperium get`.
struct ClientSimperiumGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print an object as JSON.",
        discussion: """
            Example: tapedeck client simperium get note1 --to URL --app app --bucket notes --token TOKEN
            """)

    @Argument(help: "Key of the object.")
    var key: String

    @OptionGroup var options: ClientSimperiumOptions

    @Flag(help: "Print the last known version, without the server.")
    var offline = false

    func run() async throws {
        let reader = SimperiumReader(
            bucket: options.first, key: key, isOffline: offline,
            patience: SimperiumPatience(limit: options.wait))
        try await options.run(try options.client(isOffline: offline), reader)
    }
}

/// `tapedeck client simperium set`.
struct ClientSimperiumSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Create an object, or replace its content.",
        discussion: """
            Example: tapedeck client simperium set note1 '{"a": 1}' --to URL --app app --bucket notes --token TOKEN
            """)

    @Argument(help: "Key of the object.")
    var key: String

    @Argument(help: "The JSON object: its text, @FILE, or - for standard input.")
    var object: JSONArgument

    @OptionGroup var options: ClientSimperiumOptions

    @Flag(help: "Keep it in --state only, to be sent later.")
    var offline = false

    func run() async throws {
        try options.check(key: key)
        let data = try object.value("the object")
        guard case .object = data else {
            throw Failure(.data, "the value is not a JSON object; write an object in braces")
        }
        let writer = SimperiumWriter(
            [.edited(bucket: options.first, key: key, data: data)], isOffline: offline,
            patience: SimperiumPatience(limit: options.wait))
        try await options.run(try options.client(isOffline: offline), writer)
    }
}

/// `tapedeck client simperium delete`.
struct ClientSimperiumDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove an object that this client knows.",
        discussion: """
            Example: tapedeck client simperium delete note1 --to URL --app app --bucket notes --token TOKEN
            """)

    @Argument(help: "Key of the object.")
    var key: String

    @OptionGroup var options: ClientSimperiumOptions

    @Flag(help: "Keep it in --state only, to be sent later.")
    var offline = false

    func run() async throws {
        let writer = SimperiumWriter(
            [.removed(bucket: options.first, key: key)], isOffline: offline,
            patience: SimperiumPatience(limit: options.wait))
        try await options.run(try options.client(isOffline: offline), writer)
    }
}

/// `tapedeck client simperium sync`.
struct ClientSimperiumSync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send what is kept, read what is new, and exit.",
        discussion: """
            Example: tapedeck client simperium sync --to URL --app app --bucket notes --token TOKEN --state DIR
            """)

    @OptionGroup var options: ClientSimperiumOptions

    func run() async throws {
        let writer = SimperiumWriter([], patience: SimperiumPatience(limit: options.wait))
        try await options.run(try options.client(), writer)
    }
}

/// `tapedeck client simperium run`.
struct ClientSimperiumRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the timed steps of a script.",
        discussion: """
            One step a line: set BUCKET KEY JSON, delete BUCKET KEY, cut, offline, online, wait \
            synced, wait connected, wait 5s, wait BUCKET KEY JSON, expect BUCKET KEY JSON, print \
            BUCKET KEY. JSON may be `missing` after wait and expect. `at 2s` before a step waits \
            until then. # begins a comment.

            Example: tapedeck client simperium run steps.txt --to URL --app app --bucket notes --token TOKEN
            """)

    @Argument(help: "The file with the script, or - for standard input.")
    var script: String

    @OptionGroup var options: ClientSimperiumOptions

    func run() async throws {
        let data =
            script == "-"
            ? FileHandle.standardInput.readDataToEndOfFile()
            : FileManager.default.contents(atPath: script)
        guard let data else {
            throw Failure(.noInput, "\(script) cannot be read; check the name")
        }
        let steps: SimperiumScript
        do {
            steps = try SimperiumScript(
                parsing: String(decoding: data, as: UTF8.self), buckets: options.bucket)
        } catch {
            throw Failure(.data, "\(script), line \(error.line): \(error.reason)")
        }
        try await options.run(
            try options.client(), SimperiumScriptRunner(steps, patience: options.wait))
    }
}
