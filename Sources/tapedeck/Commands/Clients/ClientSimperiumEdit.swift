import ArgumentParser
import Dispatch
import Foundation
import Notation
import SyncClients
import Synchronization
import Wire

/// `tapedeck client simperium edit`.
struct ClientSimperiumEdit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Store an object whenever a file changes, or for each line of standard input.",
        discussion: """
            From a file: its content is stored at once and whenever the file changes (looked at \
            4 times a second), until stopped. From standard input: each line is an object, and \
            after the last one the command waits until all is acknowledged. What the server \
            changes is merged with the edits, and not written into the file.

            Example: tapedeck client simperium edit note1 note.json --to URL --app app --bucket notes --token TOKEN
            """)

    @Argument(help: "Key of the object.")
    var key: String

    @Argument(
        help: "The file with the JSON object, or - for standard input, an object a line.",
        completion: .file())
    var file: String

    @OptionGroup var options: ClientSimperiumOptions

    @Flag(help: "Keep the edits in --state only, to be sent later.")
    var offline = false

    func run() async throws {
        try options.check(key: key)
        let client = try options.client(isOffline: offline)
        let feed = EditFeed(bucket: options.first, key: key, client: client, isPiped: file == "-")
        if file == "-" {
            Thread.detachNewThread { feed.readLines(FileHandle.standardInput) }
        } else {
            guard try feed.readFile(file) else {
                throw Failure(.noInput, "\(file) cannot be read; check the name")
            }
            if offline { client.endInput() } else { feed.watch(file) }
        }
        let watcher = SimperiumWatcher(
            .nothing, isOffline: offline, patience: SimperiumPatience(limit: options.wait))
        try await options.run(client, watcher)
        let count = feed.failures.withLock { $0 }
        guard count == 0 else {
            throw Failure(
                .data, count == 1 ? "1 object was not stored" : "\(count) objects were not stored")
        }
    }
}

/// The source of the edits of one object.
final class EditFeed: Sendable {
    /// Number of contents that were not stored.
    let failures = Mutex(0)
    private let bucket: String
    private let key: String
    private let client: SimperiumClient
    /// Room for lines that are not stored yet; nil for no limit.
    private let room: DispatchSemaphore?

    init(bucket: String, key: String, client: SimperiumClient, isPiped: Bool) {
        room = isPiped ? DispatchSemaphore(value: 16) : nil
        self.bucket = bucket
        self.key = key
        self.client = client
    }

    /// Stores each line that comes.
    func readLines(_ handle: FileHandle) {
        var lines = LineSplitter(longest: 64 << 20)
        var count = 0
        func take(_ line: [UInt8]) {
            count += 1
            guard !line.isEmpty else { return }
            store(line, "line \(count)")
        }
        while true {
            let data = handle.availableData
            guard !data.isEmpty else { break }
            guard lines.feed(data, take) else {
                note("a line is longer than 64 MiB")
                break
            }
        }
        lines.finish(take)
        client.endInput()
    }

    /// Stores the content of a file; false where it cannot be read.
    func readFile(_ path: String) throws -> Bool {
        guard let data = FileManager.default.contents(atPath: path) else { return false }
        store([UInt8](data), path)
        return true
    }

    /// Stores the content of a file whenever that changes.
    func watch(_ path: String) {
        let known = Mutex(FileMark(path: path))
        Task { [self] in
            while (try? await Task.sleep(for: .milliseconds(250))) != nil {
                let mark = FileMark(path: path)
                let isNew = known.withLock { known in
                    guard let mark, mark != known else { return false }
                    known = mark
                    return true
                }
                if isNew { _ = try? readFile(path) }
            }
        }
    }

    private func store(_ bytes: [UInt8], _ place: String) {
        do {
            let data = JSONValue(try JSONDocument.scan(bytes).root)
            let room = room
            client.feed(.edited(bucket: bucket, key: key, data: data)) { room?.signal() }
            // A pipe may be faster than a disk.
            room?.wait()
        } catch {
            note("\(place): \(error) at byte \(error.offset)")
        }
    }

    private func note(_ text: String) {
        StandardError.write("tapedeck: \(text); not stored\n")
        failures.withLock { $0 += 1 }
    }
}
