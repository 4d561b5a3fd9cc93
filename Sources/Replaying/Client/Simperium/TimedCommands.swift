internal import Wire

/// The commands of a recording in the order of their times, for code that reads all of them: names,
/// connections and `ccid`s are numbers here.
///
/// An index is a place in that order; see ``TimeOrder``.
struct TimedCommands {
    /// The commands whose answers are looked for.
    enum Name {
        case authorization
        case change
        case changesSince
        case heartbeat
        case index
        case initialization
        case log
        case object
        case other

        init(_ name: String) {
            self =
                switch name {
                case "auth": .authorization
                case "c": .change
                case "cv": .changesSince
                case "h": .heartbeat
                case "i": .index
                case "init": .initialization
                case "log": .log
                case "e": .object
                default: .other
                }
        }
    }

    /// The inspected fields of a command.
    struct Command {
        /// Its place in the recording.
        var place: Int
        /// Number of its connection.
        var socket: Int
        /// Number of its connection and channel.
        var stream: Int
        var sender: Peer
        var name: Name
        /// Whether it belongs to no channel.
        var isOfConnection: Bool

        /// Whether it may be the answer to a `cv`, where the server sent it.
        var mayAnswer: Bool { name == .change || name == .changesSince }

        /// As ``RecordedCommand/isFree``.
        var isFree: Bool {
            isOfConnection && (name == .heartbeat || name == .log && sender == .client)
        }
    }

    let commands: RecordedCommands
    /// Number of connections.
    let socketCount: Int
    private let order: TimeOrder
    private let sockets: [Int]
    private let names: [Name]

    init(_ commands: RecordedCommands) {
        self.commands = commands
        order = TimeOrder(
            count: commands.count, socket: { commands.streams[commands.stream(at: $0)].socket },
            at: { commands.at($0) })
        var numbers: [ConnectionID: Int] = [:]
        sockets = commands.streams.map { stream in
            let number = numbers[stream.socket] ?? numbers.count
            numbers[stream.socket] = number
            return number
        }
        socketCount = numbers.count
        names = commands.names.map { Name($0) }
    }

    var indices: Range<Int> { commands.indices }

    subscript(_ index: Int) -> Command {
        let place = order.place(index)
        let stream = commands.stream(at: place)
        let name = Int(commands.name(at: place))
        return Command(
            place: place, socket: sockets[stream], stream: stream,
            sender: commands.sender(at: place), name: name < names.count ? names[name] : .other,
            isOfConnection: commands.streams[stream].channel == nil)
    }

    /// When, and not before the command before it on its connection.
    func at(_ index: Int) -> Instant { order.at(index) ?? commands.at(order.place(index)) }

    /// The numbers of the `ccid`s of a command.
    func ccids(_ command: Command) -> ArraySlice<UInt32> {
        commands.ccidNumbers(at: command.place)
    }

    /// The number of a command in the trace.
    func id(_ command: Command) -> CommandID { commands.id(at: command.place) }
}
