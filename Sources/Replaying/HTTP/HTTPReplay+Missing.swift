internal import Wire

extension HTTPReplay {
    /// Recorded exchanges that are compared in full to explain a miss.
    private static let maxCompared = 24
    /// Recorded exchanges among which equal ones are counted to explain a miss.
    private static let maxCounted = 1_000

    /// Determines why a request has no answer.
    func explain(
        _ request: ReplayRequest, _ target: Target, _ group: UInt32?, _ key: RequestKey
    ) -> HTTPMiss {
        guard let group else {
            return HTTPMiss(
                line: request.line, reason: .unknownTarget, candidates: similar(to: target, key))
        }
        let members = members(of: group)
        let unused = members.lazy.filter { !isUsed[Int($0)] }.prefix(Self.maxCompared)
        let used = members.reversed().lazy.filter { isUsed[Int($0)] }.prefix(4)
        var candidates: [HTTPMiss.Candidate] = []
        var times = 0
        for place in Array(unused) + Array(used) {
            let candidate = candidate(Int(place), to: target, key)
            if candidate.differences.isEmpty { times += 1 }
            candidates.append(candidate)
        }
        if times > 0 {
            times = members.prefix(Self.maxCounted).count {
                isUsed[Int($0)] && self.key(of: Int($0)).isSame(as: key)
            }
            let same = candidates.filter { $0.differences.isEmpty }.prefix(1)
            return HTTPMiss(
                line: request.line,
                reason: .usedUp(times: times, orMore: members.count > Self.maxCounted),
                candidates: Array(same))
        }
        return HTTPMiss(
            line: request.line, reason: .different, candidates: Self.closest(candidates))
    }

    private func candidate(
        _ place: Int, to target: Target, _ key: RequestKey
    ) -> HTTPMiss.Candidate {
        var found = Differences(limit: 8)
        let exchange = exchanges[place]
        let own = self.target(exchange.method, exchange.host, exchange.path)
        for (what, recorded, live) in [
            ("method", own.method, target.method), ("host", own.host, target.host),
            ("path", own.path, target.path),
        ] where recorded != live {
            let (recorded, live) = OneLine.pair(recorded, live)
            found.add(Difference(.target, what, recorded: recorded, live: live))
        }
        self.key(of: place).compare(to: key, into: &found)
        return HTTPMiss.Candidate(
            exchange: exchange.id, line: exchange.line, isUsed: isUsed[place], differences: found)
    }

    private static func closest(_ candidates: [HTTPMiss.Candidate]) -> [HTTPMiss.Candidate] {
        Array(
            candidates.enumerated().sorted {
                ($0.element.differences.items.count, $0.element.isUsed ? 1 : 0, $0.offset)
                    < ($1.element.differences.items.count, $1.element.isUsed ? 1 : 0, $1.offset)
            }.prefix(3).map(\.element))
    }

    /// Exchanges of other targets with the most steps of the path in common.
    private func similar(to target: Target, _ key: RequestKey) -> [HTTPMiss.Candidate] {
        let steps = target.path.split(separator: "/")
        var best: [(score: Int, place: Int)] = []
        for number in 0..<UInt32(truncatingIfNeeded: min(exchanges.targets.count, 10_000)) {
            let members = members(of: number)
            guard let first = members.first else { continue }
            let parts = exchanges.parts(of: number)
            let other = self.target(parts.method, parts.host, parts.path)
            let others = other.path.split(separator: "/")
            let common =
                zip(steps, others).prefix { $0 == $1 }.count
                + zip(steps.reversed(), others.reversed()).prefix { $0 == $1 }.count
            guard common > 0 else { continue }
            let place = members.first { !isUsed[Int($0)] } ?? first
            let score =
                4 * common - 2 * abs(steps.count - others.count)
                + (other.method == target.method ? 1 : 0) + (other.host == target.host ? 1 : 0)
            best.append((score, Int(place)))
            if best.count > 64 {
                best.sort { ($0.score, $1.place) > ($1.score, $0.place) }
                best.removeLast(best.count - 3)
            }
        }
        best.sort { ($0.score, $1.place) > ($1.score, $0.place) }
        return best.prefix(3).map { candidate($0.place, to: target, key) }
    }
}
