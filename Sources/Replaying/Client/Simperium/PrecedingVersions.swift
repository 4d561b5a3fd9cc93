internal import Simperium
internal import Wire

/// The change versions directly before changes, as far as the channels of a recording received
/// both.
///
/// Reads nothing until it is used: in most recordings nothing is in doubt.
struct PrecedingVersions {
    /// Where a change was sent: by which server command on which channel.
    private struct Place {
        var ccid: UInt32
        var stream: Int32
        var index: Int32
    }

    /// The number of commands of a channel that are searched for the last change it received.
    private static let most = 8

    private let commands: TimedCommands
    /// Server commands with changes, by channel.
    private var reported: [[Int32]] = []
    /// Where changes were sent, by `ccid` and then in order; nil until first use.
    private var places: [Place]?

    init(_ commands: TimedCommands) { self.commands = commands }

    /// The change versions right before a change.
    ///
    /// - Parameters:
    ///   - ccid: The number of the change's.
    ///   - answers: What commands that answer `cv` answer: their first change follows that.
    ///   - doubtful: Commands that are used last. A channel that received later changes may get
    ///     earlier ones by a command that is itself in doubt.
    ///   - fetch: Gives the text of a command.
    /// - Returns: All candidates from the channels, of which one is correct; none where no channel
    ///   received it.
    mutating func versions(
        before ccid: UInt32, answers: [CommandID: CommandID], doubtful: Set<CommandID>,
        fetch: (CommandID) -> [UInt8]?
    ) -> (sure: Set<String>, doubtful: Set<String>) {
        var sure: Set<String> = []
        var unsure: Set<String> = []
        let places = findPlaces()
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].ccid < ccid { low = middle + 1 } else { high = middle }
        }
        for place in places[low...].prefix(while: { $0.ccid == ccid }) {
            guard let version = version(before: ccid, at: place, answers, fetch) else { continue }
            if doubtful.contains(id(reported[Int(place.stream)][Int(place.index)])) {
                unsure.insert(version)
            } else {
                sure.insert(version)
            }
        }
        return (sure, unsure)
    }

    private mutating func findPlaces() -> [Place] {
        if let places { return places }
        var found: [Place] = []
        reported = Array(repeating: [], count: commands.commands.streams.count)
        for index in commands.indices {
            let command = commands[index]
            let ccids = commands.ccids(command)
            guard command.sender == .server, command.name == .change, !ccids.isEmpty else {
                continue
            }
            for ccid in ccids {
                found.append(
                    Place(
                        ccid: ccid, stream: Int32(truncatingIfNeeded: command.stream),
                        index: Int32(truncatingIfNeeded: reported[command.stream].count)))
            }
            reported[command.stream].append(Int32(truncatingIfNeeded: index))
        }
        found.sort { $0.ccid < $1.ccid }
        places = found
        return found
    }

    private func id(_ index: Int32) -> CommandID { commands.id(commands[Int(index)]) }

    private func version(
        before number: UInt32, at place: Place, _ answers: [CommandID: CommandID],
        _ fetch: (CommandID) -> [UInt8]?
    ) -> String? {
        let reported = reported[Int(place.stream)]
        let command = id(reported[Int(place.index)])
        let ccid = commands.commands.ccid(number)
        let changes = Self.changes(fetch(command))
        // Changes sent as one are placed where the last of them was made.
        guard changes.allSatisfy({ $0.ccids.count == 1 }),
            let index = changes.firstIndex(where: { $0.ccids == [ccid] })
        else { return nil }
        if index > 0 { return changes[index - 1].cv }
        if let question = answers[command] { return Self.asked(fetch(question)) }
        for before in reported[..<Int(place.index)].suffix(Self.most).reversed() {
            if let last = Self.changes(fetch(id(before))).last { return last.cv }
        }
        return nil
    }

    /// The changes of a server command that were made.
    private static func changes(_ text: [UInt8]?) -> [SimperiumChange<Range<Int>>] {
        let command = SimperiumCommand.parse(text ?? [], from: .server)
        guard case .changes(let changes) = command.body else { return [] }
        return changes.filter { $0.error == nil }
    }

    /// The change version that a client command requests changes since.
    static func asked(_ text: [UInt8]?) -> String? {
        SimperiumCommand.parse(text ?? [], from: .client).cv
    }
}
