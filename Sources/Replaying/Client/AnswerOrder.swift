internal import Simperium
internal import Wire

/// The order in which a server took the commands of several channels of one bucket.
///
/// Changes are in the order in which channels saw them. A command stands behind the changes that its
/// own channel had seen when it was answered, and before those that its channel saw later; a page of
/// the index says itself behind which change it stands. A server takes the commands of one channel
/// in their order.
struct AnswerOrder {
    private struct Route: Hashable {
        var socket: ConnectionID
        var channel: Int?
    }

    /// A client command in a bucket.
    private struct Asked {
        /// Place among the commands.
        var command: Int
        var route: Route
        /// Place of the first end that shows that the server took it; the largest for none.
        var answer = Int32.max
        /// Place of the end that is the answer on its own channel; the largest for none.
        var own = Int32.max
        /// Number of the change, from 1; 0 for other commands, and for what was refused.
        var change = 0
        /// The change version that the answer states.
        var cv: String?
    }

    /// A change as it came on a channel.
    private struct Seen {
        var end: Int32
        var change: Int
    }

    private struct Bucket {
        var asked: [Int] = []
        /// Whether several channels have it open: only then their order is of interest.
        var isShared = false
        /// Numbers of changes, by `ccid`.
        var numbers: [String: Int] = [:]
        /// Numbers of changes, by the change version behind them.
        var versions: [String: Int] = [:]
        /// Where each change first came, by its number less 1.
        var first: [Int32] = []
        /// The first place where this change or a later one came, by its number less 1.
        var firstFrom: [Int32] = []
        /// The client command that made it; nil where nobody of the recording did.
        var makers: [Int?] = []
    }

    private let commands: [RecordedCommand]
    private var asked: [Asked] = []
    private var buckets: [Bucket] = []
    private var seen: [Route: [Seen]] = [:]
    /// Client commands that wait for the answer, by `ccid`.
    private var changes: [String: [Int]] = [:]
    /// Places of buckets by the `init` that opens them.
    private var openings: [CommandID: Int] = [:]

    init(_ commands: [RecordedCommand]) { self.commands = commands }

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
        where command.name == "init" && command.sender == .client && command.channel != nil {
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
        for (index, command) in commands.enumerated() where command.channel != nil {
            let route = Route(socket: command.socket, channel: command.channel)
            if command.sender == .client {
                if let opened = openings[command.id] { places[route] = opened }
                guard let bucket = places[route] else { continue }
                buckets[bucket].asked.append(asked.count)
                if command.name == "c" {
                    for ccid in command.ccids { changes[ccid, default: []].append(asked.count) }
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
                if case .changes(let list)? = text?.body {
                    for change in list {
                        for ccid in change.ccids {
                            came(
                                ccid, cv: change.cv, wasRefused: change.error != nil, at: end,
                                on: route, bucket, &schedule)
                        }
                    }
                } else {
                    for ccid in command.ccids {
                        came(
                            ccid, cv: nil, wasRefused: true, at: end, on: route, bucket, &schedule)
                    }
                }
                // Changes are what answers `cv`.
                let question = Question(
                    route: route, name: command.name == "c" ? "cv" : command.name)
                if let queue = open[question], queue.next < queue.places.count {
                    open[question]?.next += 1
                    if case .indexPage? = text?.body {
                        asked[queue.places[queue.next]].cv = text?.cv
                    }
                    answer(queue.places[queue.next], end, &schedule)
                }
            }
        }
    }

    private mutating func came(
        _ ccid: String, cv: String?, wasRefused: Bool, at end: Int32, on route: Route,
        _ bucket: Int, _ schedule: inout ReplaySchedule
    ) {
        let makers = changes[ccid] ?? []
        for maker in makers {
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
        seen[route, default: []].append(Seen(end: end, change: number))
    }

    private mutating func answer(_ place: Int, _ end: Int32, _ schedule: inout ReplaySchedule) {
        guard asked[place].own == .max else { return }
        asked[place].own = end
        asked[place].answer = min(asked[place].answer, end)
        schedule.answers[end, default: []].append(commands[asked[place].command].id)
    }

    /// Numbers the changes of a bucket so that every channel saw them in their order.
    ///
    /// A channel that did not see one may have seen a later one before anybody saw the first.
    private mutating func number(_ bucket: Int, _ routes: [Route]) {
        let count = buckets[bucket].first.count
        var later: [[Int32]] = Array(repeating: [], count: count)
        var before = Array(repeating: 0, count: count)
        for route in routes {
            var last: Int?
            var known: Set<Int> = []
            for entry in seen[route] ?? [] where known.insert(entry.change).inserted {
                if let last {
                    later[last - 1].append(Int32(truncatingIfNeeded: entry.change))
                    before[entry.change - 1] += 1
                }
                last = entry.change
            }
        }
        var numbers = Array(repeating: 0, count: count)
        var next = 0
        // The first that nothing stands before, and what follows from it; most are in order.
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
                    Seen(end: entry.end, change: numbers[entry.change - 1])
                }
            }
        }
        one.firstFrom = one.first
        for place in one.first.indices.dropLast().reversed() {
            one.firstFrom[place] = min(one.first[place], one.firstFrom[place + 1])
        }
        buckets[bucket] = one
    }

    /// Application and bucket that an `init` opens.
    private static func bucket(_ text: [UInt8]) -> String {
        let command = SimperiumCommand.parse(text, from: .client)
        guard let message = SimperiumMessage(command, in: text),
            case .initialize(let request) = message.body
        else { return "" }
        return "\(request.app ?? "")\n\(request.bucket ?? "")"
    }

    // MARK: Keeping

    /// Makes commands in flight at once wait for those that the server took before.
    ///
    /// Only changes of other channels count, and for a change also what was read there before it.
    func keep(turns: [Int32], in schedule: inout ReplaySchedule) {
        for bucket in buckets where bucket.isShared {
            // For each change the latest before it that another channel made.
            var others: [Int] = []
            for number in bucket.makers.indices {
                var other = number - 1
                if other >= 0, route(other, bucket) == route(number, bucket) {
                    other = others[other]
                }
                others.append(other)
            }
            var readings: [Int: [Route: Int32]] = [:]
            for (place, position) in positions(in: bucket, turns, schedule) {
                let one = asked[place]
                if one.change == 0 { readings[position, default: [:]][one.route] = one.answer }
                var last = position - 1
                if last >= 0, route(last, bucket) == one.route { last = others[last] }
                if last >= 0 { wait(turns[one.command], bucket.first[last], &schedule) }
            }
            for (number, maker) in bucket.makers.enumerated() {
                guard let maker, let before = readings[number] else { continue }
                for (route, answer) in before where route != asked[maker].route {
                    wait(turns[asked[maker].command], answer, &schedule)
                }
            }
        }
    }

    private func route(_ change: Int, _ bucket: Bucket) -> Route? {
        bucket.makers[change].map { asked[$0].route }
    }

    private func wait(_ turn: Int32, _ end: Int32, _ schedule: inout ReplaySchedule) {
        guard turn >= 0, end >= schedule.starts[Int(turn)].need else { return }
        schedule.starts[Int(turn)].more += 1
        schedule.dependents[end, default: []].append(turn)
    }

    /// For each command that was answered the number of the last change that the server took before
    /// it; 0 for none.
    private func positions(
        in bucket: Bucket, _ turns: [Int32], _ schedule: ReplaySchedule
    ) -> [(place: Int, position: Int)] {
        var found: [(place: Int, position: Int)] = []
        var least: [Route: Int] = [:]
        for place in bucket.asked where asked[place].answer < .max {
            let one = asked[place]
            let turn = turns[one.command]
            let need = turn >= 0 ? schedule.starts[Int(turn)].need : 0
            let position =
                stated(by: one, in: bucket)
                ?? max(seen(by: one, sentBehind: need, in: bucket), least[one.route] ?? 0)
            least[one.route] = max(position, one.change)
            found.append((place, position))
        }
        // What is certain of a command holds for those before it on its channel.
        var most: [Route: Int] = [:]
        for index in found.indices.reversed() {
            let one = asked[found[index].place]
            found[index].position = min(found[index].position, most[one.route] ?? .max)
            if stated(by: one, in: bucket) != nil { most[one.route] = found[index].position }
        }
        return found
    }

    /// The same for a change, and for a page of the index that names a known change version.
    private func stated(by one: Asked, in bucket: Bucket) -> Int? {
        one.change > 0 ? one.change - 1 : one.cv.flatMap { bucket.versions[$0] }
    }

    /// The same by what its channel saw.
    ///
    /// What had come before it was sent was taken before, whatever its channel saw: a channel that
    /// is opened anew sees old changes once more.
    private func seen(by one: Asked, sentBehind need: Int32, in bucket: Bucket) -> Int {
        let sent = bucket.firstFrom.partitioningCount { $0 < need }
        guard one.own < .max else { return sent }
        let seen = seen[one.route] ?? []
        // The first that came behind the answer.
        var low = 0
        var high = seen.count
        while low < high {
            let middle = (low + high) / 2
            if seen[middle].end > one.own { high = middle } else { low = middle + 1 }
        }
        let before = low > 0 ? seen[low - 1].change : 0
        let later = low < seen.count ? seen[low].change : nil
        // What its channel did not see later, the server had taken, where anybody saw it at all.
        let count = later.map { $0 - 1 } ?? bucket.firstFrom.partitioningCount { $0 < one.own }
        return max(before, count, sent)
    }
}

extension [Int32] {
    /// How many at the beginning are so; all behind the first that is not are not.
    fileprivate func partitioningCount(_ isSo: (Int32) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isSo(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
