import ArgumentParser
import Foundation
import Notation
import Wire

/// `tapedeck hold`.
struct HoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold",
        abstract: "Hold messages of a running recording, and decide about each in your editor.",
        discussion: """
            Holds what FILTER finds as long as it runs, requests with their responses; without \
            FILTER it shows what rules hold: record --hold, `=> hold`. Each message opens in \
            VISUAL or EDITOR, a change as the object after it: saved as it is, it goes on; edited, \
            the edited one goes on; emptied, it is dropped. A request is answered by a text that begins with HTTP/, a command or \
            message by one whose first line is `# answer`. All that is held goes on when it ends, \
            and by itself after 5 minutes.

            Examples:
              tapedeck hold app.tape 'api:commcare.submit'
              tapedeck hold app.tape --list
              tapedeck hold app.tape --replace h3 --with edited.txt
            """)

    @OptionGroup var control: FaultsControl

    @Argument(help: "What to hold; see Filters.")
    var filter: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "With FILTER: after how long a message goes on by itself (default: 5m).",
            valueName: "duration"))
    var span: String?

    @Flag(help: "List what is held, and end.")
    var list = false

    @Option(help: ArgumentHelp("Print this message as text, and end.", valueName: "id"))
    var show: String?

    @Option(help: ArgumentHelp("Have this message, or all, go on, and end.", valueName: "id|all"))
    var release: String?

    @Option(help: ArgumentHelp("Drop this message, or all, and end.", valueName: "id|all"))
    var drop: String?

    @Option(
        help: ArgumentHelp(
            "Have the text of --with go on in place of this message, and end.", valueName: "id"))
    var replace: String?

    @Option(
        help: ArgumentHelp(
            "Answer this message with the text of --with, and end.", valueName: "id"))
    var answer: String?

    @Option(
        help: ArgumentHelp("A file with the text, or - for standard input.", valueName: "file"),
        completion: .file())
    var with: String?

    func validate() throws {
        let single = [show, release, drop, replace, answer].compactMap(\.self)
        guard single.count + (list ? 1 : 0) <= 1 else {
            throw ValidationError(
                "one of --list, --show, --release, --drop, --replace and --answer at a time")
        }
        guard replace == nil && answer == nil || with != nil else {
            throw ValidationError("--replace and --answer need the text: --with FILE")
        }
        guard filter == nil || single.isEmpty && !list else {
            throw ValidationError("FILTER begins to hold; it does not go with the other options")
        }
    }

    func run() async throws {
        if list {
            try control.run("GET", "/v1/held") { HeldText.list($0) }
        } else if let show {
            try control.run("GET", Self.path(show)) { answer in
                answer["text"]?.string ?? answer["base64"]?.string.map { $0 + "\n" } ?? ""
            }
        } else if let id = release ?? drop {
            try decide(id, release == nil ? "drop" : "release")
        } else if let id = replace ?? answer {
            let text = try text()
            _ = try control.ask(
                "POST", Self.path(id),
                .object(
                    JSONMembers([
                        .init("do", .string(replace == nil ? "answer" : "edit")),
                        .init("text", .string(text)),
                    ])))
            StandardOutput.write("\(id) \(replace == nil ? "answered" : "edited")\n")
        } else {
            try await Holding(
                control.address, trace: control.trace, filter: filter, span: span
            ).run()
        }
    }

    /// The text of `--with`.
    private func text() throws -> String {
        let file = with ?? "-"
        guard
            let data = file == "-"
                ? FileHandle.standardInput.readDataToEndOfFile()
                : FileManager.default.contents(atPath: file)
        else { throw Failure(.noInput, "\(file) cannot be read; check the name") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(.data, "\(file) is not UTF-8; write bytes as Base64: # content: base64")
        }
        return text
    }

    private func decide(_ id: String, _ what: String) throws {
        let body = JSONValue.object(JSONMembers("do", what))
        let past = what == "drop" ? "dropped" : "released"
        if id == "all" {
            try control.run("POST", "/v1/held", body) {
                "\(FaultsTable.text($0["count"])) \(past)\n"
            }
        } else {
            _ = try control.ask("POST", Self.path(id), body)
            StandardOutput.write("\(id) \(past)\n")
        }
    }

    static func path(_ id: String) -> String { "/v1/held/\(PercentEncoding.encode(id))" }
}
