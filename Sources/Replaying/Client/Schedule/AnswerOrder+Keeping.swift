internal import Wire

extension AnswerOrder {
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
                if last >= 0, !follows(bucket.first[last], place, turns, schedule) {
                    wait(turns[one.command], bucket.first[last], &schedule)
                }
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

    /// Whether an end comes only when a command was sent, or answered.
    ///
    /// A change whose author was disconnected may be sent first in the answer to a later `cv`;
    /// waiting for that would never end.
    private func follows(
        _ end: Int32, _ place: Int, _ turns: [Int32], _ schedule: ReplaySchedule
    ) -> Bool {
        guard let question = questions[end] else { return false }
        if asked[question].route == asked[place].route { return question >= place }
        let turn = turns[asked[question].command]
        return turn >= 0 && schedule.starts[Int(turn)].need > asked[place].answer
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
        // What is certain of a command holds for those before it on its channel: they follow no more
        // changes, and, where their channel received none in between, no fewer.
        var most: [Route: Int] = [:]
        let needs = largestNeeds(in: bucket, turns, schedule)
        for index in found.indices.reversed() {
            let one = asked[found[index].place]
            if let most = most[one.route] {
                if stated(by: one, in: bucket) == nil, !sees(afterAnswerTo: one) {
                    // What was sent behind its answer was made later, whatever arrived.
                    let possible = needs.partitioningCount { $0 <= one.own }
                    found[index].position = max(found[index].position, min(most, possible))
                }
                found[index].position = min(found[index].position, most)
            }
            if stated(by: one, in: bucket) != nil { most[one.route] = found[index].position }
        }
        return found
    }

    /// For each change of a bucket behind how many ends it, or one before it, was sent.
    private func largestNeeds(
        in bucket: Bucket, _ turns: [Int32], _ schedule: ReplaySchedule
    ) -> [Int32] {
        var largest: Int32 = 0
        return bucket.makers.map { maker in
            let turn = maker.map { turns[asked[$0].command] } ?? -1
            if turn >= 0 { largest = max(largest, schedule.starts[Int(turn)].need) }
            return largest
        }
    }

    /// Whether its channel received a change after the answer to a command.
    private func sees(afterAnswerTo one: Asked) -> Bool {
        let seen = seen[one.route] ?? []
        return seen[unseen(by: one, seen)...].contains(where: \.isLater)
    }

    /// The same for a change, and for a page of the index with a known change version.
    private func stated(by one: Asked, in bucket: Bucket) -> Int? {
        one.change > 0 ? one.change - 1 : one.cv.flatMap { bucket.versions[$0] }
    }

    /// The same by what its channel saw.
    ///
    /// What arrived before it was sent was applied before, whatever its channel saw: a reopened
    /// channel sees old changes once more.
    private func seen(by one: Asked, sentBehind need: Int32, in bucket: Bucket) -> Int {
        let sent = bucket.firstFrom.partitioningCount { $0 < need }
        guard one.own < .max else { return sent }
        let seen = seen[one.route] ?? []
        let low = unseen(by: one, seen)
        let before = low > 0 ? seen[low - 1].largest : 0
        // An answer to `cv` also contains older changes.
        let later = seen[low...].first { $0.isLater }?.change
        // What its channel did not see later, the server had applied before, where any channel saw
        // it.
        let count = later.map { $0 - 1 } ?? bucket.firstFrom.partitioningCount { $0 < one.own }
        return max(before, count, sent)
    }

    /// The first place of what came after the answer to a command.
    private func unseen(by one: Asked, _ seen: [Seen]) -> Int {
        var low = 0
        var high = seen.count
        while low < high {
            let middle = (low + high) / 2
            if seen[middle].end > one.own { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension [Int32] {
    /// How many at the beginning are so; all after the first that is not are not.
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
