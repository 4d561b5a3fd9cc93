internal import Simperium
internal import Wire

/// The versions of objects that a recorded server sent, and those of the changes that it sent.
///
/// A change that no client received was made nevertheless where the server later sent a version
/// that no other change led to.
struct ShownVersions {
    private struct Object: Hashable {
        /// Application and bucket, as in ``AnswerOrder/bucket(_:)``.
        var bucket: String
        var key: String
    }

    /// Versions that are looked through for one that no change led to.
    private static let most: Int64 = 64

    /// Buckets that channels had open, by the place of the `init`, in order.
    private var buckets: [Int: [(place: Int, name: String)]] = [:]
    /// What pages of the index and entities show, with their places.
    private var shown: [Object: [(place: Int, version: Int64)]] = [:]
    /// Versions that changes led to.
    private var made: [Object: Set<Int64>] = [:]

    /// Reads the server's messages among these commands; places are those among them.
    init(_ commands: TimedCommands, fetch: (CommandID) -> [UInt8]?) {
        for place in commands.indices {
            let command = commands[place]
            if command.sender == .client {
                guard command.name == .initialization else { continue }
                let name = AnswerOrder.bucket(fetch(commands.id(command)) ?? [])
                buckets[command.stream, default: []].append((place, name))
            } else if [.change, .index, .object].contains(command.name),
                let bucket = buckets[command.stream]?.last?.name
            {
                read(fetch(commands.id(command)) ?? [], in: bucket, at: place)
            }
        }
    }

    private mutating func read(_ text: [UInt8], in bucket: String, at place: Int) {
        func note(_ key: String?, _ version: Int64?) {
            guard let key, let version else { return }
            shown[Object(bucket: bucket, key: key), default: []].append((place, version))
        }
        switch SimperiumCommand.parse(text, from: .server).body {
        case .indexPage(let page): for entry in page.entries { note(entry.key, entry.version) }
        case .entity(let reply): if reply.data != nil { note(reply.key, reply.version) }
        case .changes(let changes):
            for change in changes where change.error == nil {
                guard let key = change.key, let version = change.ev else { continue }
                made[Object(bucket: bucket, key: key), default: []].insert(version)
            }
        default: break
        }
    }

    /// Whether something after the change of a client shows that it was made.
    ///
    /// - Parameters:
    ///   - text: The change.
    ///   - command: The command that it is.
    ///   - place: Its place.
    /// - Returns: False as well where that is unknown.
    func show(_ text: [UInt8], of command: TimedCommands.Command, at place: Int) -> Bool {
        guard case .changes(let changes) = SimperiumCommand.parse(text, from: .client).body,
            let change = changes.first, changes.count == 1, change.operation == .modify,
            let key = change.key,
            let bucket = buckets[command.stream]?.last(where: { $0.place < place })?.name
        else { return false }
        let object = Object(bucket: bucket, key: key)
        let versions = (shown[object] ?? []).lazy.filter { $0.place > place }.map(\.version)
        let base = max(0, change.sv ?? 0)
        guard let last = versions.max(), last > base else { return false }
        let known = made[object] ?? []
        return (base + 1...min(last, base + Self.most)).contains { !known.contains($0) }
    }
}
