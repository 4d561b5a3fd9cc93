import Faults
import Foundation
import Notation
import Synchronization
import Trace
import Wire

/// Holds messages as long as it runs, and has each decided in the editor.
final class Holding: Sendable {
    /// How often the recording is asked what is held.
    private static let pause = Duration.milliseconds(200)

    private let address: ControlAddress
    private let trace: String
    private let filter: String?
    private let span: String?
    private let isOver = Mutex(false)
    private let held = Mutex<[JSONValue]>([])

    init(_ address: ControlAddress, trace: String, filter: String?, span: String?) {
        self.address = address
        self.trace = trace
        self.filter = filter
        self.span = span
    }

    /// Runs until the recording ends, or the user ends it.
    func run() async throws {
        let signal = StopSignal()
        let holder = try begin()
        StandardError.write(
            filter.map { "tapedeck: holds \($0); Ctrl-C ends it, and all goes on\n" }
                ?? "tapedeck: shows what rules hold; Ctrl-C ends it\n")
        let asking = Task { await ask(holder) }
        signal.whenStopped { [self] in isOver.withLock { $0 = true } }
        defer {
            isOver.withLock { $0 = true }
            if let holder { _ = try? address.ask("DELETE", Self.path(holder)) }
        }
        var seen: Set<String> = []
        while !isOver.withLock(\.self) {
            let next = held.withLock { $0.first { !seen.contains(Self.id($0)) } }
            guard let next else {
                try? await Task.sleep(for: Self.pause)
                continue
            }
            seen.insert(Self.id(next))
            try decide(next)
        }
        await asking.value
    }

    private func begin() throws(Failure) -> String? {
        guard let filter else {
            _ = try address.ask("GET", "/v1/held")
            return nil
        }
        var members = JSONMembers("filter", filter)
        if let span { members.members.append(JSONMembers.Member("for", .string(span))) }
        return try address.ask("POST", "/v1/holders", .object(members))?["name"]?.string
    }

    /// Asks what is held, also while an editor is open: the recording hears of its holder so.
    private func ask(_ holder: String?) async {
        while !isOver.withLock(\.self) {
            do throws(Failure) {
                let answer =
                    if let holder {
                        try address.ask("PUT", Self.path(holder))
                    } else {
                        try address.ask("GET", "/v1/held")
                    }
                held.withLock { $0 = FaultsTable.list(answer?["held"]) }
            } catch {
                StandardError.write("tapedeck: \(error.detail)\n")
                isOver.withLock { $0 = true }
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Has one decided.
    private func decide(_ item: JSONValue) throws {
        let id = Self.id(item)
        StandardOutput.write(HeldText.line(item) + "\n")
        let path = HoldCommand.path(id)
        guard let shown = try? address.ask("GET", path) else {
            StandardOutput.write("\(id) gone\n")
            return
        }
        let change = change(shown)
        guard let text = change?.text ?? shown["text"]?.string else {
            StandardError.write(
                "tapedeck: \(id) cannot be shown as text; tapedeck hold --release, --drop\n")
            return
        }
        var problem: Failure?
        let outcome = try TextEditor.edit(text, remark: Self.remark(item)) {
            edited throws(EditableTextError) -> String in
            let (what, body) = try Self.decision(edited, from: text, of: item, change)
            do throws(Failure) {
                _ = try address.ask("POST", path, body)
            } catch {
                guard let mistake = error.mistake else {
                    problem = error
                    return "gone"
                }
                throw mistake
            }
            return what
        }
        if let problem { StandardError.write("tapedeck: \(problem.detail)\n") }
        if outcome == nil {
            do {
                _ = try address.ask("POST", path, .object(JSONMembers("do", "drop")))
            } catch {
                StandardError.write("tapedeck: \(error.detail)\n")
            }
        }
        StandardOutput.write("\(id) \(outcome ?? "dropped")\n")
    }

    /// The change of a held command, with the object that the trace has of before it.
    private func change(_ shown: JSONValue) -> EditableChange? {
        guard shown["kind"]?.string == "command", let bucket = shown["bucket"]?.string,
            let command = shown["base64"]?.string.flatMap({ Base64.decode($0.utf8) }),
            let reader = try? TraceReader(path: trace)
        else { return nil }
        let sender: Peer = shown["sender"]?.string == "server" ? .server : .client
        return (try? ChangeBase(reader: reader).change(command, from: sender, in: bucket)) ?? nil
    }

    /// What an edited text decides.
    private static func decision(
        _ edited: String, from text: String, of item: JSONValue, _ change: EditableChange?
    ) throws(EditableTextError) -> (String, JSONValue) {
        let own = edited.split(separator: "\n", omittingEmptySubsequences: false)
        // Behind the last remark a line like this is content.
        let isAnswered = own.prefix { $0.hasPrefix("#") && !$0.hasPrefix("# content:") }
            .contains("# answer")
        let first = own.first { !$0.hasPrefix("#") && !$0.isEmpty } ?? ""
        let answers = item["kind"]?.string == "request" && first.hasPrefix("HTTP/")
        let isAnswer = isAnswered || answers
        guard isAnswer || edited != remark(item) + text else {
            return ("released", .object(JSONMembers("do", "release")))
        }
        var members = JSONMembers("do", isAnswer ? "answer" : "edit")
        // Whoever removes the remark writes a command.
        if let change, EditableChange.isText(edited) {
            let command = try change.command(edited)
            members.members.append(.init("base64", .string(Base64.encode(command))))
        } else {
            members.members.append(.init("text", .string(edited)))
        }
        return (isAnswer ? "answered" : "edited", .object(members))
    }

    /// What stands above the text.
    private static func remark(_ item: JSONValue) -> String {
        let isRequest = item["kind"]?.string == "request"
        let isResponse = item["kind"]?.string == "response"
        let answering =
            isRequest
            ? "A text that begins with HTTP/ answers it.\n"
            : isResponse ? "\n" : "With a line \"# answer\" it goes back to its sender.\n"
        return "# \(FaultsTable.text(item["id"])): \(FaultsTable.text(item["kind"])) "
            + "\(FaultsTable.text(item["summary"]))\n"
            + "# Saved, it goes on as it stands here; empty, it is dropped. \(answering)"
    }

    private static func id(_ held: JSONValue) -> String { held["id"]?.string ?? "" }

    private static func path(_ holder: String) -> String {
        "/v1/holders/\(PercentEncoding.encode(holder))"
    }
}
