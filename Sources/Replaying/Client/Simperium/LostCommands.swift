internal import Simperium
public import Wire

/// Finds recorded client commands that the recorded server never got.
///
/// A connection that breaks loses the bytes in flight. A change was lost if the client sends it
/// again and the server accepts it as new; what the client sent after it on that socket is lost
/// too. So is what was not answered at the end of a socket, where another one follows, except a
/// change without which an object would not have the version that is sent later. Replaying such
/// commands would apply what was not applied, so they are left out.
public enum LostCommands {
    /// The lost ones among the commands of a recording.
    ///
    /// - Parameters:
    ///   - commands: Of all sockets, each in the order of the recording.
    ///   - readsAll: Whether to read every answer where a change at the end of a socket was not
    ///     acknowledged, for a version that shows that it was made: takes seconds for 100,000
    ///     commands.
    ///   - fetch: Gives the text of a command; called for the answers to changes that were sent
    ///     again.
    /// - Returns: Their numbers; heartbeats and lines of logs are none of them.
    public static func find(
        in commands: RecordedCommands, readsAll: Bool = true, fetch: (CommandID) -> [UInt8]?
    ) -> Set<CommandID> {
        let commands = TimedCommands(commands)
        // Where on each socket that begins which was lost.
        var first = [Int](repeating: .max, count: commands.socketCount)
        for index in lostChanges(commands, fetch) {
            let socket = commands[index].socket
            first[socket] = min(first[socket], index)
        }
        let lost = self.commands(behind: first, commands)
        for (socket, start) in unansweredEnds(commands, lost, readsAll, fetch).enumerated() {
            first[socket] = min(first[socket], start ?? .max)
        }
        return self.commands(behind: first, commands)
    }

    /// The lost ones among the commands of a recording.
    public static func find(
        in commands: [RecordedCommand], fetch: (CommandID) -> [UInt8]?
    ) -> Set<CommandID> { find(in: RecordedCommands(commands), fetch: fetch) }

    /// What clients sent on sockets from these places on.
    private static func commands(
        behind first: [Int], _ commands: TimedCommands
    ) -> Set<CommandID> {
        guard first.contains(where: { $0 != .max }) else { return [] }
        var lost: Set<CommandID> = []
        for index in commands.indices {
            let command = commands[index]
            guard index >= first[command.socket], command.sender == .client, !command.isFree else {
                continue
            }
            lost.insert(commands.id(command))
        }
        return lost
    }

    /// Changes that were sent again and taken only then.
    private static func lostChanges(
        _ commands: TimedCommands, _ fetch: (CommandID) -> [UInt8]?
    ) -> [Int] {
        let made = repeatedChanges(commands)
        guard !made.isEmpty else { return [] }
        var reported: [UInt32: [Int]] = [:]
        for index in commands.indices {
            let command = commands[index]
            guard command.sender == .server else { continue }
            for ccid in commands.ccids(command) where made[ccid] != nil {
                reported[ccid, default: []].append(index)
            }
        }
        var lost: [Int] = []
        for (ccid, places) in made {
            let reported = reported[ccid] ?? []
            for (place, next) in zip(places, places.dropFirst())
            where commands[place].socket != commands[next].socket
                && !reported.contains(where: { $0 > place && $0 < next })
            {
                // Only the answer to the next one shows that it arrived before.
                if let answer = reported.first(where: { $0 > next }) {
                    let text = fetch(commands.id(commands[answer])) ?? []
                    if isDuplicate(text, commands.commands.ccid(ccid)) { continue }
                }
                lost.append(place)
            }
        }
        return lost
    }

    /// Where clients sent what they sent more than once, by its `ccid`.
    private static func repeatedChanges(_ commands: TimedCommands) -> [UInt32: [Int]] {
        var first = [Int32](repeating: -1, count: commands.commands.ccidCount)
        var repeated: [UInt32: [Int]] = [:]
        for index in commands.indices {
            let command = commands[index]
            guard command.sender == .client, command.name == .change else { continue }
            for ccid in commands.ccids(command) {
                let known = first[Int(ccid)]
                if known < 0 {
                    first[Int(ccid)] = Int32(truncatingIfNeeded: index)
                } else {
                    repeated[ccid, default: [Int(known)]].append(index)
                }
            }
        }
        return repeated
    }

    /// Whether a recorded server command calls a change a duplicate.
    private static func isDuplicate(_ text: [UInt8], _ ccid: String) -> Bool {
        let command = SimperiumCommand.parse(text, from: .server)
        guard case .changes(let changes) = command.body else { return false }
        return changes.contains { $0.error == 409 && $0.ccids.contains(ccid) }
    }

    /// How many commands of a channel ask, or answer, what is answered one by one.
    private struct Counts {
        var authorizations = 0
        var indices = 0
        var objects = 0

        /// Counts a request.
        ///
        /// - Returns: Whether so many answers came.
        mutating func ask(_ name: TimedCommands.Name, _ answers: Counts) -> Bool? {
            switch name {
            case .initialization:
                authorizations += 1
                return authorizations <= answers.authorizations
            case .index:
                indices += 1
                return indices <= answers.indices
            case .object:
                objects += 1
                return objects <= answers.objects
            default: return nil
            }
        }

        mutating func answer(_ name: TimedCommands.Name) {
            switch name {
            case .authorization: authorizations += 1
            case .index: indices += 1
            case .object: objects += 1
            default: break
            }
        }
    }

    /// Where the end of each socket begins that was not answered, for sockets that others follow.
    private static func unansweredEnds(
        _ commands: TimedCommands, _ lost: Set<CommandID>, _ readsAll: Bool,
        _ fetch: (CommandID) -> [UInt8]?
    ) -> [Int?] {
        let caughtUp = Set(CatchUpAnswers.find(in: commands, lost: lost, fetch: fetch).values)
        var begins = [Int](repeating: .max, count: commands.socketCount)
        var ends = [Int](repeating: 0, count: commands.socketCount)
        var reported = [Bool](repeating: false, count: commands.commands.ccidCount)
        var answers = [Counts](repeating: Counts(), count: commands.commands.streams.count)
        for index in commands.indices {
            let command = commands[index]
            begins[command.socket] = min(begins[command.socket], index)
            ends[command.socket] = index
            guard command.sender == .server else { continue }
            for ccid in commands.ccids(command) { reported[Int(ccid)] = true }
            answers[command.stream].answer(command.name)
        }
        let last = begins.max() ?? 0
        var asked = [Counts](repeating: Counts(), count: commands.commands.streams.count)
        var starts = [Int?](repeating: nil, count: commands.socketCount)
        var versions: ShownVersions?
        for index in commands.indices {
            let command = commands[index]
            guard command.sender == .client, !command.isFree, ends[command.socket] < last,
                // The answer to one that was sent again is not the answer to the lost one.
                lost.isEmpty || !lost.contains(commands.id(command))
            else { continue }
            let isAnswered: Bool
            switch command.name {
            case .change:
                let isReported = commands.ccids(command).contains { reported[Int($0)] }
                if !isReported, readsAll, versions == nil {
                    versions = ShownVersions(commands, fetch: fetch)
                }
                let text = isReported ? [] : fetch(commands.id(command)) ?? []
                isAnswered = isReported || versions?.show(text, of: command, at: index) == true
            case .changesSince: isAnswered = caughtUp.contains(commands.id(command))
            default:
                isAnswered =
                    asked[command.stream].ask(command.name, answers[command.stream]) ?? true
            }
            if isAnswered {
                starts[command.socket] = nil
            } else if starts[command.socket] == nil {
                starts[command.socket] = index
            }
        }
        return starts
    }
}
