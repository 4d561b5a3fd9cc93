import ArgumentParser
import Foundation
import OpenRosa
import SyncClients
import Wire

/// `tapedeck client commcare`: a whole CommCare client.
struct ClientCommCareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commcare",
        abstract: "Submit forms to a CommCare server and restore from it.",
        discussion: """
            Exits with status 0 on success, 75 when it must be tried later, and 65 when the \
            server refused it for good. What was not sent is kept in --state.
            """,
        subcommands: [
            ClientCommCareSubmit.self, ClientCommCareSync.self, ClientCommCareClaim.self,
            ClientCommCareStatus.self,
        ])
}

/// `tapedeck client commcare submit`.
struct ClientCommCareSubmit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Send a form at once, or queue it if that is not possible.",
        discussion: """
            Example: tapedeck client commcare submit form.xml --to URL --domain demo --user ada --state DIR
            """)

    @Argument(help: "The filled form.")
    var form: String

    @Argument(help: "Files that go with it.")
    var attachments: [String] = []

    @Flag(
        help:
            "Submit as to any OpenRosa server: with a HEAD request before, and without a sync token."
    )
    var openrosa = false

    @Flag(help: "Submit as a demonstration: without credentials, and the server discards the form.")
    var demo = false

    @Flag(help: "Send the body in chunks, unless the server requires its length.")
    var chunked = false

    @OptionGroup var options: ClientCommCareOptions

    mutating func validate() throws {
        if openrosa, demo { throw ValidationError("--openrosa and --demo exclude each other") }
    }

    func run() async throws {
        let xml = try ClientCommCareOptions.content(form)
        for path in attachments where !FileManager.default.isReadableFile(atPath: path) {
            throw Failure(.noInput, "\(path) cannot be read; check the name")
        }
        var submission = CommCareSubmission()
        submission.isOpenRosa = openrosa
        submission.isDemonstration = demo
        submission.sendsChunks = chunked
        let settings = try options.settings(submission)
        let state = try options.open(submission)
        do throws(CommCareClientError) {
            let stored = try CommCareForm(
                xml: xml, filename: name(form),
                attachments: attachments.map { .init(name: name($0), path: $0) })
            if demo { try stored.requireDemonstration() }
            if try state.add(stored) == .sent {
                StandardError.write("tapedeck: the server has this form already\n")
                return
            }
            for finding in stored.findings {
                let status = finding.status.map { "; CommCare HQ answers \($0)" } ?? ""
                StandardError.write("tapedeck: note: \(finding.detail)\(status)\n")
            }
        } catch { throw ClientCommCareOptions.failure(error) }
        try await options.run(.submit, settings, state)
    }

    private func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }
}

/// `tapedeck client commcare sync`.
struct ClientCommCareSync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send the queue, then restore.",
        discussion: """
            Example: tapedeck client commcare sync --to URL --domain demo --user ada --state DIR
            """)

    @OptionGroup var options: ClientCommCareOptions

    func run() async throws {
        let settings = try options.settings()
        try await options.run(.sync, settings, try options.open())
    }
}

/// `tapedeck client commcare claim`.
struct ClientCommCareClaim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Send the queue, claim a case of another user, and restore to receive it.",
        discussion: """
            Example: tapedeck client commcare claim CASE --to URL --domain demo --user ada --state DIR
            """)

    @Argument(help: "Identifier of the case.")
    var caseID: String

    @OptionGroup var options: ClientCommCareOptions

    func run() async throws {
        let settings = try options.settings()
        let state = try options.open()
        try await options.run(.claim(caseID: caseID), settings, state)
        do throws(CommCareClientError) {
            guard try state.caseState(caseID) == nil else { return }
        } catch { throw ClientCommCareOptions.failure(error) }
        throw Failure(
            .temporary,
            "the device does not have \(caseID) yet: sync, and claim it again where that does not help"
        )
    }
}

/// `tapedeck client commcare status`.
struct ClientCommCareStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the sync token, the case set and the forms, without the server.",
        discussion: """
            Example: tapedeck client commcare status --state DIR
            """)

    @Option(
        help: ArgumentHelp("Folder that keeps the state.", valueName: "dir"), completion: .directory
    )
    var state: String

    @Flag(help: "Print one JSON object.")
    var json = false

    // A script passes the same options to all commands; the state records its server and user.
    @Option(help: .hidden) var to: String?
    @Option(help: .hidden) var domain: String?
    @Option(help: .hidden) var user: String?

    private struct Shown: Encodable {
        struct Form: Encodable {
            var instanceID: String
            var state: String
            var message: String
        }
        var syncToken: String?
        var stateHash: String
        var cases: [String]
        var forms: [Form]
    }

    func run() throws {
        let shown: Shown
        guard FileManager.default.fileExists(atPath: state) else {
            throw Failure(.noInput, "there is no state \(state); submit or sync makes one")
        }
        do throws(CommCareClientError) {
            let opened = try CommCareState(folder: state, deviceID: UUID().uuidString)
            shown = Shown(
                syncToken: try opened.fact("token"),
                stateHash: try opened.stateToSend()?.description ?? "none: cases in a circle",
                cases: try opened.caseIDs(),
                forms: try opened.entries().map {
                    Shown.Form(
                        instanceID: $0.instanceID, state: "\($0.state)", message: $0.message)
                })
        } catch { throw ClientCommCareOptions.failure(error) }
        if json {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            StandardOutput.write(String(decoding: try encoder.encode(shown), as: UTF8.self) + "\n")
            return
        }
        StandardOutput.write("sync token  \(shown.syncToken ?? "none")\n")
        StandardOutput.write("cases       \(shown.cases.count), \(shown.stateHash)\n")
        for form in shown.forms {
            StandardOutput.write(
                "form        \(form.instanceID) \(form.state) \(form.message)\n")
        }
    }
}
