public import Wire

/// The Simperium commands of a recording in their order: a collection of ``RecordedCommand`` that
/// takes some 30 bytes for each, and each `ccid` once.
public struct RecordedCommands: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
    /// A command as it is kept, in 20 bytes.
    private struct Entry {
        /// What its number is more than the base that holds at its place.
        var id: UInt32
        /// High and low half of when.
        private var atHalves: (UInt32, UInt32)
        var stream: UInt32
        var name: UInt16
        var sender: UInt8

        var at: Int64 { Int64(bitPattern: UInt64(atHalves.0) << 32 | UInt64(atHalves.1)) }

        init(id: UInt32, at: Int64, stream: UInt32, name: UInt16, sender: UInt8) {
            self.id = id
            atHalves = (UInt32(truncatingIfNeeded: at >> 32), UInt32(truncatingIfNeeded: at))
            self.stream = stream
            self.name = name
            self.sender = sender
        }
    }

    /// A connection and a channel, or what belongs to the connection.
    struct Stream: Hashable {
        var socket: ConnectionID
        var channel: Int?
    }

    private var entries: [Entry] = []
    /// From which place on numbers are more than what: nearly always one base.
    private var bases: [(place: Int, id: Int64)] = []
    /// In the order of their first commands.
    private(set) var streams: [Stream] = []
    private var numbers: [Stream: UInt32] = [:]
    /// Streams that were looked up lately, indexed by their numbers; a power of two of them.
    private var recent = [Recent](repeating: Recent(), count: 1_024)
    private var nameTexts = TextTable()
    /// Numbers of names of up to 7 bytes, by these.
    private var shortNames: [(bytes: UInt64, number: UInt32)] = []
    private var ccidTexts = CCIDTable()
    /// Numbers of `ccid`s, of one command after the other.
    private var ccids: [UInt32] = []
    /// Where those of a command end in ``ccids``.
    private var ccidEnds: [UInt32] = []

    /// None.
    public init() {}

    /// These commands.
    public init(_ commands: some Sequence<RecordedCommand>) {
        for command in commands {
            var name = command.name
            name.withUTF8 {
                append(
                    command.id, command.socket, command.sender, command.at, command.channel,
                    name: UnsafeRawBufferPointer($0))
            }
            for ccid in command.ccids {
                var ccid = ccid
                ccid.withUTF8 { addCCID(UnsafeRawBufferPointer($0)) }
            }
        }
    }

    /// These commands.
    public init(arrayLiteral elements: RecordedCommand...) { self.init(elements) }

    /// Makes room for this many.
    public mutating func reserveCapacity(_ count: Int) {
        entries.reserveCapacity(count)
        ccidEnds.reserveCapacity(count)
        ccids.reserveCapacity(count)
        // A change is sent, acknowledged and forwarded to others under one.
        ccidTexts.reserveCapacity(count / 2)
    }

    /// Adds a command without any `ccid` at the end; `name` has to be valid during the call only.
    public mutating func append(
        _ id: CommandID, _ socket: ConnectionID, _ sender: Peer, _ at: Instant, _ channel: Int?,
        name: UnsafeRawBufferPointer
    ) {
        let number = streamNumber(Stream(socket: socket, channel: channel))
        entries.append(
            Entry(
                id: kept(id.rawValue), at: at.nanoseconds, stream: number,
                name: UInt16(truncatingIfNeeded: nameNumber(name)),
                sender: UInt8(truncatingIfNeeded: sender.rawValue)))
        ccidEnds.append(ccidEnds.last ?? 0)
    }

    /// A stream and its number, or none.
    private struct Recent {
        var stream = Stream(socket: ConnectionID(0))
        var number = UInt32.max
    }

    /// The number of a stream; called millions of times, nearly always for one of a few.
    private mutating func streamNumber(_ stream: Stream) -> UInt32 {
        // Connections and channels are counted, so that few share a place.
        let sum = stream.socket.rawValue &* 31 &+ Int64(truncatingIfNeeded: stream.channel ?? -1)
        let place = Int(truncatingIfNeeded: sum) & (recent.count - 1)
        let known = recent[place]
        if known.number != .max, known.stream == stream { return known.number }
        let number = numbers[stream] ?? UInt32(truncatingIfNeeded: streams.count)
        recent[place] = Recent(stream: stream, number: number)
        if number == streams.count {
            streams.append(stream)
            numbers[stream] = number
        }
        return number
    }

    /// The number of the next command as it is kept.
    private mutating func kept(_ id: Int64) -> UInt32 {
        if let base = bases.last, id >= base.id, let more = UInt32(exactly: id &- base.id) {
            return more
        }
        bases.append((entries.count, id))
        return 0
    }

    private func id(_ place: Int) -> Int64 {
        let base = bases.count == 1 ? bases[0] : bases.last { $0.place <= place }
        return (base?.id ?? 0) &+ Int64(entries[place].id)
    }

    /// The number of a name; nearly all are one of a dozen short ones.
    private mutating func nameNumber(_ name: UnsafeRawBufferPointer) -> UInt32 {
        guard name.count < 8 else { return nameTexts.intern(name) }
        let bytes = name.reduce(UInt64(name.count)) { $0 << 8 | UInt64($1) }
        for known in shortNames where known.bytes == bytes { return known.number }
        let number = nameTexts.intern(name)
        if shortNames.count < 16 { shortNames.append((bytes, number)) }
        return number
    }

    /// Adds a `ccid` to the last command.
    public mutating func addCCID(_ ccid: UnsafeRawBufferPointer) {
        guard !ccidEnds.isEmpty else { return }
        ccids.append(ccidTexts.intern(ccid))
        ccidEnds[ccidEnds.count - 1] = UInt32(truncatingIfNeeded: ccids.count)
    }

    /// 0.
    public var startIndex: Int { 0 }

    /// Number of commands.
    public var endIndex: Int { entries.count }

    /// The command at `place`.
    public subscript(_ place: Int) -> RecordedCommand {
        var command = outline(at: place)
        command.ccids = ccidNumbers(at: place).map { ccidTexts[$0] }
        return command
    }

    /// Number of different `ccid`s.
    var ccidCount: Int { ccidTexts.count }

    /// The command at `place` without its `ccid`s, which costs nothing.
    func outline(at place: Int) -> RecordedCommand {
        let entry = entries[place]
        let stream = streams[Int(entry.stream)]
        return RecordedCommand(
            id: CommandID(id(place)), socket: stream.socket,
            sender: Peer(rawValue: Int(entry.sender)) ?? .client,
            at: Instant(nanoseconds: entry.at), channel: stream.channel,
            name: nameTexts[UInt32(entry.name)])
    }

    /// Number of the connection and channel of the command at `place`, as ``streams`` has them.
    func stream(at place: Int) -> Int { Int(entries[place].stream) }

    /// Who sent the command at `place`.
    func sender(at place: Int) -> Peer { Peer(rawValue: Int(entries[place].sender)) ?? .client }

    /// The number of the name of the command at `place`: equal names have the same.
    func name(at place: Int) -> UInt32 { UInt32(entries[place].name) }

    /// The names of all commands, by their numbers.
    var names: [String] {
        (0..<UInt32(truncatingIfNeeded: nameTexts.count)).map { nameTexts[$0] }
    }

    /// When the command at `place` came.
    func at(_ place: Int) -> Instant { Instant(nanoseconds: entries[place].at) }

    /// The `ccid` with a number.
    func ccid(_ number: UInt32) -> String { ccidTexts[number] }

    /// The number of the command at `place`, without the rest of it.
    public func id(at place: Int) -> CommandID { CommandID(id(place)) }

    /// The numbers of the `ccid`s of the command at `place`: equal ones have the same.
    public func ccidNumbers(at place: Int) -> ArraySlice<UInt32> {
        ccids[Int(place == 0 ? 0 : ccidEnds[place - 1])..<Int(ccidEnds[place])]
    }

    /// The number that a `ccid` has in the commands; nil where none has it.
    public func number(ofCCID ccid: String) -> UInt32? { ccidTexts.find(ccid) }

    /// The last command of each connection.
    public var lastCommands: [ConnectionID: CommandID] {
        var places = Array(repeating: 0, count: streams.count)
        for place in entries.indices { places[Int(entries[place].stream)] = place }
        return Dictionary(
            zip(streams.map(\.socket), places.map { CommandID(id($0)) }),
            uniquingKeysWith: Swift.max)
    }

    /// The last command of each side on each channel, in no order.
    public var lastOfSides: [CommandID] {
        var last = Array(repeating: (client: -1, server: -1), count: streams.count)
        for place in entries.indices {
            let stream = Int(entries[place].stream)
            if sender(at: place) == .client {
                last[stream].client = place
            } else {
                last[stream].server = place
            }
        }
        return last.flatMap { [$0.client, $0.server] }.filter { $0 >= 0 }.map { CommandID(id($0)) }
    }

    /// Removes the command with this number, if there is one.
    public mutating func remove(_ id: CommandID) {
        guard let place = place(of: id) else { return }
        let gone = ccidNumbers(at: place)
        ccids.removeSubrange(gone.startIndex..<gone.endIndex)
        ccidEnds.remove(at: place)
        for later in place..<ccidEnds.count {
            ccidEnds[later] -= UInt32(truncatingIfNeeded: gone.count)
        }
        entries.remove(at: place)
        for index in bases.indices where bases[index].place > place { bases[index].place -= 1 }
    }

    /// The connections that commands went over, in the order of their first.
    public var sockets: [ConnectionID] {
        var seen: Set<ConnectionID> = []
        return streams.compactMap { seen.insert($0.socket).inserted ? $0.socket : nil }
    }

    /// The place of the command with this number; nil where there is none.
    ///
    /// Numbers rise with places.
    public func place(of id: CommandID) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.id(middle) < id.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && self.id(low) == id.rawValue ? low : nil
    }
}
