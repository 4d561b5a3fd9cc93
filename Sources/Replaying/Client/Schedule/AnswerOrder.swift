internal import Simperium
internal import Wire

/// The order in which a server took the commands of several channels of one bucket.
///
/// Changes are in the order in which channels saw them. A command follows the changes that its own
/// channel had seen when it was answered, and precedes those that its channel saw later; a page of
/// the index has the change version that it follows. A server processes the commands of one channel
/// in their order.
struct AnswerOrder {
    struct Route: Hashable {
        var socket: ConnectionID
        var channel: Int?
    }

    /// A client command in a bucket.
    struct Asked {
        /// Place among the commands.
        var command: Int
        var route: Route
        /// Place of the first end that shows that the server took it; the largest for none.
        var answer = Int32.max
        /// Place of the end that is the answer on its own channel; the largest value for none.
        var own = Int32.max
        /// Number of the change, from 1; 0 for other commands, and for what was refused.
        var change = 0
        /// The change version that the answer states.
        var cv: String?
    }

    /// A change as received on a channel.
    struct Seen {
        var end: Int32
        var change: Int
        /// Whether it is in the answer to `cv`, which contains older changes than others that
        /// arrived.
        var isOfCatchUp: Bool
        /// Whether its order among others of the same command is unknown.
        var isMerged: Bool
        /// The largest number so far on the channel.
        var largest = 0
        /// Whether it follows all unsolicited changes so far on the channel.
        var isLater = true
    }

    struct Bucket {
        var asked: [Int] = []
        /// Whether several channels have it open: only then their order is of interest.
        var isShared = false
        /// Numbers of changes, by `ccid`.
        var numbers: [String: Int] = [:]
        /// Numbers of changes, by the change version after them.
        var versions: [String: Int] = [:]
        /// Where each change first came, by its number less 1.
        var first: [Int32] = []
        /// The first place where this change or a later one came, by its number less 1.
        var firstFrom: [Int32] = []
        /// The client command that made it; nil where no recorded client did.
        var makers: [Int?] = []
    }

    let commands: [RecordedCommand]
    private let lost: Set<CommandID>
    var asked: [Asked] = []
    var buckets: [Bucket] = []
    var seen: [Route: [Seen]] = [:]
    /// Places in ``asked`` of the `cv` that ends answer, by the ends.
    private(set) var questions: [Int32: Int] = [:]
    /// Client commands that wait for the answer, by `ccid`.
    private var changes: [String: [Int]] = [:]
    /// Places of buckets by the `init` that opens them.
    private var openings: [CommandID: Int] = [:]

    /// - Parameters:
    ///   - commands: In the order of their times.
    ///   - lost: Those that the server never got.
    init(_ commands: [RecordedCommand], lost: Set<CommandID>) {
        self.commands = commands
        self.lost = lost
    }

    // MARK: Reading

    private struct Question: Hashable {
        var route: Route
        var name: String
    }

    /// Finds the answers.
    mutating func read(_ schedule: inout ReplaySchedule, _ fetch: (CommandID) -> [UInt8]?) {
        let routes = open(fetch)
        readCommands(&schedule, fetch)
        for bucket in buckets.indices where buckets[bucket].isShared {
            number(bucket, routes[bucket])
        }
    }

    /// Finds the buckets, and who has them open.
    private mutating func open(_ fetch: (CommandID) -> [UInt8]?) -> [[Route]] {
        var names: [String: Int] = [:]
        var known: Set<Route> = []
        var routes: [[Route]] = []
        for command in commands
        where command.name == "init" && command.sender == .client && command.channel != nil
            && !lost.contains(command.id)
        {
            let route = Route(socket: command.socket, channel: command.channel)
            let name = Self.bucket(fetch(command.id) ?? [])
            let place = names[name] ?? buckets.count
            names[name] = place
            openings[command.id] = place
            if place == buckets.count {
                buckets.append(Bucket())
                routes.append([])
            }
            // Each channel once; many are opened once alone.
            if known.insert(route).inserted || !routes[place].contains(route) {
                routes[place].append(route)
            }
            buckets[place].isShared = routes[place].count > 1
        }
        return routes
    }

    private mutating func readCommands(
        _ schedule: inout ReplaySchedule, _ fetch: (CommandID) -> [UInt8]?
    ) {
        var open: [Question: (places: [Int], next: Int)] = [:]
        var places: [Route: Int] = [:]
        let catchUps = CatchUpAnswers.find(in: commands, lost: lost, fetch: fetch)
        var askedFor: [CommandID: Int] = [:]
        for (index, command) in commands.enumerated()
        where command.channel != nil && !lost.contains(command.id) {
            let route = Route(socket: command.socket, channel: command.channel)
            if command.sender == .client {
                if let opened = openings[command.id] { places[route] = opened }
                guard let bucket = places[route] else { continue }
                buckets[bucket].asked.append(asked.count)
                if command.name == "c" {
                    for ccid in command.ccids { changes[ccid, default: []].append(asked.count) }
                } else if command.name == "cv" {
                    askedFor[command.id] = asked.count
                } else {
                    let name = command.name == "init" ? "auth" : command.name
                    open[Question(route: route, name: name), default: ([], 0)].places.append(
                        asked.count)
                }
                asked.append(Asked(command: index, route: route))
            } else if let end = schedule.places[.command(command.id)] {
                guard let bucket = places[route] else { continue }
                var text: SimperiumCommand?
                if buckets[bucket].isShared, command.name == "c" || command.name == "i" {
                    text = SimperiumCommand.parse(fetch(command.id) ?? [], from: .server)
                }
                let question = catchUps[command.id]
                if case .changes(let list)? = text?.body {
                    for change in list {
                        for ccid in change.ccids {
                            came(
                                ccid, cv: change.cv, wasRefused: change.error != nil,
                                Seen(
                                    end: end, change: 0, isOfCatchUp: question != nil,
                                    isMerged: change.ccids.count > 1),
                                on: route, bucket, &schedule)
                        }
                    }
                } else {
                    for ccid in command.ccids {
                        came(
                            ccid, cv: nil, wasRefused: true,
                            Seen(
                                end: end, change: 0, isOfCatchUp: question != nil, isMerged: false),
                            on: route, bucket, &schedule)
                    }
                }
                if let question, let place = askedFor[question] {
                    questions[end] = place
                    answer(place, end, &schedule)
                }
                if command.name == "c" || command.name == "cv" { continue }
                let kind = Question(route: route, name: command.name)
                if let queue = open[kind], queue.next < queue.places.count {
                    open[kind]?.next += 1
                    if case .indexPage? = text?.body {
                        asked[queue.places[queue.next]].cv = text?.cv
                    }
                    answer(queue.places[queue.next], end, &schedule)
                }
            }
        }
    }

    private mutating func came(
        _ ccid: String, cv: String?, wasRefused: Bool, _ entry: Seen, on route: Route,
        _ bucket: Int, _ schedule: inout ReplaySchedule
    ) {
        let end = entry.end
        let makers = changes[ccid] ?? []
        // A refusal is sent to the requester alone, and implies nothing about the same change
        // elsewhere.
        for maker in makers where !wasRefused || asked[maker].route == route {
            asked[maker].answer = min(asked[maker].answer, end)
            if asked[maker].route == route { answer(maker, end, &schedule) }
        }
        changes[ccid] = makers.filter { asked[$0].own == .max }
        if changes[ccid]?.isEmpty == true { changes[ccid] = nil }
        guard !wasRefused else { return }
        let number: Int
        if let known = buckets[bucket].numbers[ccid] {
            number = known
        } else {
            buckets[bucket].first.append(end)
            buckets[bucket].makers.append(makers.first)
            number = buckets[bucket].first.count
            buckets[bucket].numbers[ccid] = number
            if let maker = makers.first { asked[maker].change = number }
        }
        if let cv { buckets[bucket].versions[cv] = number }
        var entry = entry
        entry.change = number
        seen[route, default: []].append(entry)
    }

    private mutating func answer(_ place: Int, _ end: Int32, _ schedule: inout ReplaySchedule) {
        guard asked[place].own == .max else { return }
        asked[place].own = end
        asked[place].answer = min(asked[place].answer, end)
        schedule.answers[end, default: []].append(commands[asked[place].command].id)
    }

    /// Numbers the changes of a bucket so that every channel saw them in their order.
    ///
    /// A channel that did not see one may have seen a later one before any channel saw the first.
    private mutating func number(_ bucket: Int, _ routes: [Route]) {
        let count = buckets[bucket].first.count
        var later: [[Int32]] = Array(repeating: [], count: count)
        var before = Array(repeating: 0, count: count)
        func precede(_ one: Seen?, _ other: Seen) {
            guard let one, one.change != other.change else { return }
            later[one.change - 1].append(Int32(truncatingIfNeeded: other.change))
            before[other.change - 1] += 1
        }
        for route in routes {
            // The last unsolicited change, and the last of the answer to `cv` after it: what is
            // older than the one may be in the other, and the next follows both.
            var last: Seen?
            var reported: Seen?
            var known: Set<Int> = []
            for entry in seen[route] ?? [] {
                let isNew = known.insert(entry.change).inserted
                if entry.isOfCatchUp {
                    if let reported, reported.end == entry.end, !reported.isMerged, !entry.isMerged
                    {
                        precede(reported, entry)
                    }
                    reported = entry
                } else if isNew {
                    precede(last, entry)
                    if reported?.isMerged == false { precede(reported, entry) }
                    last = entry
                    reported = nil
                }
            }
        }
        var numbers = Array(repeating: 0, count: count)
        var next = 0
        // The first without a predecessor, and what follows from it; nearly all are in order.
        for start in 0..<count where before[start] == 0 && numbers[start] == 0 {
            var open = [start]
            while let place = open.popLast() {
                next += 1
                numbers[place] = next
                for follower in later[place].reversed() {
                    let other = Int(follower) - 1
                    before[other] -= 1
                    // A later start takes the others in its turn.
                    if before[other] == 0, other < start { open.append(other) }
                }
            }
        }
        let isWhole = next == count
        var one = buckets[bucket]
        if isWhole {
            for (place, number) in numbers.enumerated() {
                one.first[number - 1] = buckets[bucket].first[place]
                one.makers[number - 1] = buckets[bucket].makers[place]
                if let maker = buckets[bucket].makers[place] { asked[maker].change = number }
            }
            one.versions = one.versions.mapValues { numbers[$0 - 1] }
            for route in routes {
                seen[route] = seen[route]?.map { entry in
                    var entry = entry
                    entry.change = numbers[entry.change - 1]
                    return entry
                }
            }
        }
        for route in routes {
            var largest = 0
            var live = 0
            seen[route] = seen[route]?.map { entry in
                var entry = entry
                largest = max(largest, entry.change)
                entry.largest = largest
                if entry.isOfCatchUp {
                    entry.isLater = live > 0 && entry.change > live
                } else {
                    live = max(live, entry.change)
                }
                return entry
            }
        }
        one.firstFrom = one.first
        for place in one.first.indices.dropLast().reversed() {
            one.firstFrom[place] = min(one.first[place], one.firstFrom[place + 1])
        }
        buckets[bucket] = one
    }

    /// Application and bucket that an `init` opens.
    static func bucket(_ text: [UInt8]) -> String {
        let command = SimperiumCommand.parse(text, from: .client)
        guard let message = SimperiumMessage(command, in: text),
            case .initialize(let request) = message.body
        else { return "" }
        return "\(request.app ?? "")\n\(request.bucket ?? "")"
    }
}
