import Faults
import Foundation
import Platform

/// The user's editor: `VISUAL`, else `EDITOR`, else `vi` on a terminal.
enum TextEditor {
    /// Has a text edited until it can be read.
    ///
    /// What is wrong with it stands at its top when the editor opens again.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - remark: What stands before it, lines that begin with `#`.
    ///   - read: Reads the edited text.
    /// - Returns: What was read; nil where the text was emptied.
    /// - Throws: ``Failure`` where there is no editor, or it failed.
    static func edit<Result>(
        _ text: String, remark: String,
        _ read: (String) throws(EditableTextError) -> Result
    ) throws(Failure) -> Result? {
        let command = try command(ProcessInfo.processInfo.environment)
        let file = try EditedFile()
        defer { file.remove() }
        var shown = remark + text
        var unreadable: String?
        var reason: EditableTextError?
        // An editor that nobody sits at would be opened for ever.
        for _ in 0..<maxOpenings {
            try file.write(shown)
            try run(command, file.path)
            let edited = withoutMistakes(try file.text())
            if EditableText.isEmpty(edited) { return nil }
            do throws(EditableTextError) {
                return try read(edited)
            } catch {
                if edited == unreadable { break }
                (unreadable, reason) = (edited, error)
                shown = mistake(error) + edited
            }
        }
        let detail = reason.map { ": \($0)" } ?? ""
        throw Failure(.data, "the edited text is no message\(detail); nothing was sent")
    }

    /// How often a text with a mistake is opened.
    private static let maxOpenings = 10

    /// What the lines about mistakes begin with.
    private static let mark = "#! "

    /// The line about a mistake, which moves the others down.
    private static func mistake(_ error: EditableTextError) -> String {
        guard let line = error.line else { return "\(mark)\(error.message)\n" }
        let place = "line \(line + 1)" + (error.column.map { ", column \($0)" } ?? "")
        return "\(mark)\(place): \(error.message)\n"
    }

    private static func withoutMistakes(_ text: String) -> String {
        var rest = text[...]
        while rest.hasPrefix(mark), let end = rest.firstIndex(of: "\n") {
            rest = rest[rest.index(after: end)...]
        }
        return String(rest)
    }

    /// The command that opens a file.
    static func command(
        _ environment: [String: String], isTerminal: Bool = isatty(0) == 1
    ) throws(Failure) -> String {
        for name in ["VISUAL", "EDITOR"] {
            if let command = environment[name], !command.isEmpty { return command }
        }
        guard isTerminal, ClientProcess.path(of: "vi") != nil else {
            throw Failure(.usage, "there is no editor: set VISUAL or EDITOR")
        }
        return "vi"
    }

    private static func run(_ command: String, _ path: String) throws(Failure) {
        // Ctrl-C is for the editor.
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        let ending: ChildProcess.Ending
        do throws(ChildProcess.NotStarted) {
            ending = try ChildProcess(
                "/bin/sh", arguments: ["sh", "-c", "\(command) \"$1\"", "sh", path],
                environment: ProcessInfo.processInfo.environment
            ).wait()
        } catch {
            throw Failure(
                .io, "\(command) cannot be started: \(String(cString: strerror(error.code)))")
        }
        guard ending == .exited(0) else {
            throw Failure(
                .failed, "the editor \(command) ended with \(ending.status); nothing was sent")
        }
    }
}

/// A file that only its owner reads: it may have passwords in it.
private struct EditedFile {
    let path: String
    private let folder: String

    init() throws(Failure) {
        let manager = FileManager.default
        folder = manager.temporaryDirectory.path + "/tapedeck-\(UUID().uuidString)"
        path = folder + "/message.txt"
        do {
            try manager.createDirectory(
                atPath: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(
                .io,
                "\(folder) cannot be written: \(error.localizedDescription); "
                    + "TMPDIR names another folder")
        }
    }

    func write(_ text: String) throws(Failure) {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: attributes)
        else { throw Failure(.io, "\(path) cannot be written; TMPDIR names another folder") }
    }

    /// The text; empty where the editor deleted the file.
    func text() throws(Failure) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure(.data, "the edited text is not UTF-8; write bytes as Base64")
        }
        return text
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
