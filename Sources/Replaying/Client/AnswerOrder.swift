internal import Simperium
internal import Wire

/// The order in which a server took the commands of several channels of one bucket.
///
/// Changes are in the order in which they first came back on any channel. A command stands behind
/// the changes that its own channel had seen when it was answered, and before those that its
/// channel saw later. A server takes the commands of one channel in their order.
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
        /// Number of the change, from 1; 0 for other commands.
        var change = 0
    }

    /// A change as it came on a channel.
    private struct Seen {
        var end: Int32
        var change: Int
    }

    private struct Bucket {
        var asked: [Int] = []
        /// Numbers of changes, by `ccid`.
        var numbers: [String: Int] = [:]
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

    init(_ commands: [RecordedCommand]) { self.commands = commands }

    // MARK: Reading

    private struct Question: Hashable {
        var route: Route
        var name: String
    }

    /// Finds the answers.
    mutating func read(_ schedule: inout ReplaySchedule, _ fetch: (CommandID) -> [UInt8]?) {
        var routes: [Int: [Route]] = [:]
        readCommands(&schedule, fetch, &routes)
        for bucket in buckets.indices { number(bucket, routes[bucket] ?? []) }
    }

    private mutating func readCommands(
        _ schedule: inout ReplaySchedule, _ fetch: (CommandID) -> [UInt8]?,
        _ routes: inout [Int: [Route]]
    ) {
        var open: [Question: (places: [Int], next: Int)] = [:]
        var places: [Route: Int] = [:]
        var names: [String: Int] = [:]
        for (index, command) in commands.enumerated() where command.channel != nil {
            let route = Route(socket: command.socket, channel: command.channel)
            if command.sender == .client {
                if command.name == "init" {
                    let name = Self.bucket(fetch(command.id) ?? [])
                    if names[name] == nil {
                        names[name] = buckets.count
                        buckets.append(Bucket())
                    }
                    places[route] = names[name]
                    if let bucket = names[name], routes[bucket]?.contains(route) != true {
                        routes[bucket, default: []].append(route)
                    }
                }
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
                for ccid in command.ccids {
                    came(ccid, at: end, on: route, places[route], &schedule)
                }
                var question = Question(route: route, name: command.name)
                // What answers `cv` is a `c`.
                if command.name == "c" { question.name = "cv" }
                if let queue = open[question], queue.next < queue.places.count {
                    open[question]?.next += 1
                    answer(queue.places[queue.next], end, &schedule)
                }
            }
        }
    }

    private mutating func came(
        _ ccid: String, at end: Int32, on route: Route, _ bucket: Int?,
        _ schedule: inout ReplaySchedule
    ) {
        let makers = changes[ccid] ?? []
        for maker in makers {
            asked[maker].answer = min(asked[maker].answer, end)
            if asked[maker].route == route { answer(maker, end, &schedule) }
        }
        changes[ccid] = makers.filter { asked[$0].own == .max }
        if changes[ccid]?.isEmpty == true { changes[ccid] = nil }
        guard let bucket else { return }
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
        for bucket in buckets {
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
            for place in bucket.asked where asked[place].answer < .max {
                let one = asked[place]
                let turn = turns[one.command]
                let need = turn >= 0 ? schedule.starts[Int(turn)].need : 0
                var last = position(of: one, sentBehind: need, in: bucket) - 1
                if one.change == 0 {
                    readings[last + 1, default: [:]][one.route] = one.answer
                }
                if last >= 0, route(last, bucket) == one.route { last = others[last] }
                if last >= 0 { wait(turn, bucket.first[last], &schedule) }
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

    /// The number of the last change that the server took before a command; 0 for none.
    ///
    /// What had come before it was sent was taken before, whatever its channel saw: a channel that
    /// is opened anew sees old changes once more.
    private func position(of one: Asked, sentBehind need: Int32, in bucket: Bucket) -> Int {
        guard one.own < .max, one.change == 0 else { return max(0, one.change - 1) }
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
        return max(before, count, bucket.firstFrom.partitioningCount { $0 < need })
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
