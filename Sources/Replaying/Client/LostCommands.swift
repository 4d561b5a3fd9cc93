internal import Simperium
public import Wire

/// Finds recorded client commands that the recorded server never got.
///
/// A connection that is cut loses what is on its way. That a change was lost shows when the client
/// sends it again and the server takes it as new; what the client sent after it on that socket is
/// lost with it. So is what nobody answered at the end of a socket, where another one follows.
/// Played anew, such commands would do what they did not do, so that they are left out.
public enum LostCommands {
    /// The lost ones among the commands of a recording.
    ///
    /// - Parameters:
    ///   - commands: Of all sockets, each in the order of the recording.
    ///   - fetch: Gives the text of a command; asked for the answers to changes that were sent again.
    /// - Returns: Their numbers; heartbeats and lines of logs are none of them.
    public static func find(
        in commands: [RecordedCommand], fetch: (CommandID) -> [UInt8]?
    ) -> Set<CommandID> {
        let commands = ReplaySchedule.inTime(commands)
        var first: [ConnectionID: Int] = [:]
        for place in lostChanges(commands, fetch) {
            let socket = commands[place].socket
            first[socket] = min(first[socket] ?? place, place)
        }
        let lost = self.commands(behind: first, commands)
        for (socket, place) in unansweredEnds(commands, lost, fetch) {
            first[socket] = min(first[socket] ?? place, place)
        }
        return self.commands(behind: first, commands)
    }

    /// What clients sent on sockets from these places on.
    private static func commands(
        behind first: [ConnectionID: Int], _ commands: [RecordedCommand]
    ) -> Set<CommandID> {
        guard !first.isEmpty else { return [] }
        var lost: Set<CommandID> = []
        for (place, command) in commands.enumerated()
        where command.sender == .client && !command.isFree {
            if let start = first[command.socket], place >= start { lost.insert(command.id) }
        }
        return lost
    }

    /// Places of changes that were sent again and taken only then.
    private static func lostChanges(
        _ commands: [RecordedCommand], _ fetch: (CommandID) -> [UInt8]?
    ) -> [Int] {
        var made: [String: [Int]] = [:]
        for (place, command) in commands.enumerated()
        where command.sender == .client && command.name == "c" {
            for ccid in command.ccids { made[ccid, default: []].append(place) }
        }
        made = made.filter { $0.value.count > 1 }
        guard !made.isEmpty else { return [] }
        var told: [String: [Int]] = [:]
        for (place, command) in commands.enumerated() where command.sender == .server {
            for ccid in command.ccids where made[ccid] != nil {
                told[ccid, default: []].append(place)
            }
        }
        var lost: [Int] = []
        for (ccid, places) in made {
            let told = told[ccid] ?? []
            for (place, next) in zip(places, places.dropFirst())
            where commands[place].socket != commands[next].socket
                && !told.contains(where: { $0 > place && $0 < next })
            {
                // That it came before, only the answer to the next one tells.
                if let answer = told.first(where: { $0 > next }) {
                    let text = fetch(commands[answer].id) ?? []
                    if isDuplicate(text, ccid) { continue }
                }
                lost.append(place)
            }
        }
        return lost
    }

    /// Whether a recorded server command calls a change a duplicate.
    private static func isDuplicate(_ text: [UInt8], _ ccid: String) -> Bool {
        let command = SimperiumCommand.parse(text, from: .server)
        guard case .changes(let changes) = command.body else { return false }
        return changes.contains { $0.error == 409 && $0.ccids.contains(ccid) }
    }

    private struct Route: Hashable {
        var socket: ConnectionID
        var channel: Int?
        var name: String
    }

    /// Where the end of a socket begins that was not answered, for sockets that others follow.
    private static func unansweredEnds(
        _ commands: [RecordedCommand], _ lost: Set<CommandID>, _ fetch: (CommandID) -> [UInt8]?
    ) -> [ConnectionID: Int] {
        let caughtUp = Set(CatchUpAnswers.find(in: commands, lost: lost, fetch: fetch).values)
        var begins: [ConnectionID: Int] = [:]
        var ends: [ConnectionID: Int] = [:]
        var told: Set<String> = []
        var answers: [Route: Int] = [:]
        for (place, command) in commands.enumerated() {
            if begins[command.socket] == nil { begins[command.socket] = place }
            ends[command.socket] = place
            guard command.sender == .server else { continue }
            told.formUnion(command.ccids)
            let route = Route(
                socket: command.socket, channel: command.channel, name: command.name)
            answers[route, default: 0] += 1
        }
        let last = begins.values.max() ?? 0
        var asked: [Route: Int] = [:]
        var starts: [ConnectionID: Int] = [:]
        for (place, command) in commands.enumerated()
        where command.sender == .client && !command.isFree && ends[command.socket] ?? .max < last {
            // What is told of one that was sent again is no answer to what was lost.
            if lost.contains(command.id) { continue }
            let isAnswered: Bool
            switch command.name {
            case "c": isAnswered = command.ccids.contains { told.contains($0) }
            case "init", "i", "e":
                let route = Route(
                    socket: command.socket, channel: command.channel,
                    name: command.name == "init" ? "auth" : command.name)
                asked[route, default: 0] += 1
                isAnswered = asked[route, default: 0] <= answers[route, default: 0]
            case "cv": isAnswered = caughtUp.contains(command.id)
            default: isAnswered = true
            }
            if isAnswered {
                starts[command.socket] = nil
            } else if starts[command.socket] == nil {
                starts[command.socket] = place
            }
        }
        return starts
    }
}
