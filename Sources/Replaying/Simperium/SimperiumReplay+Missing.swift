internal import Wire

extension SimperiumReplay {
    /// What happens to a command that is not the next one of its channel.
    mutating func miss(
        _ command: ClientCommand, _ text: [UInt8], in stream: Int?, on socket: Int,
        _ channel: Int?, _ live: Live, at now: Instant
    ) -> [ReplayCommand] {
        if mode == .lenient, let stream, let later = later(command, in: stream) {
            return skip(to: later, command, in: stream, on: socket, channel, at: now)
        }
        let reason: SimperiumMiss.Reason
        let candidate: SimperiumMiss.Candidate?
        if let stream {
            let isOver = streams[stream].nextClient >= streams[stream].client.count
            reason = isOver ? .nothingLeft : .different
            candidate = closest(to: command, in: stream)
        } else if command.name == "init" {
            reason = .noSuchChannel
            candidate = closestOpening(to: command, live)
        } else {
            reason = channel == nil ? .nothingLeft : .notOpened
            candidate = nil
        }
        let miss = SimperiumMiss(
            socket: socket, channel: channel,
            bucket: stream.map { streams[$0].bucket } ?? command.bucket, line: command.line,
            reason: reason, candidate: candidate)
        if mode == .model {
            return giveUp(text, in: stream, on: socket, channel, because: miss, at: now)
        }
        missed += 1
        if misses.count < Self.maxMisses { misses.append(miss) }
        guard mode == .strict else { return [.report(miss)] }
        isStopped = true
        return [.stop(miss)]
    }

    /// A recorded command after the next one that fits.
    private func later(_ command: ClientCommand, in stream: Int) -> Fit? {
        for index in window(of: stream).dropFirst()
        where commands[Int(streams[stream].client[index])].name == command.name {
            let match = compared(command, with: index, of: stream, isStrict: false, limit: 1)
            if match.differences.isEmpty { return Fit(index: index, proposals: match.proposals) }
        }
        return nil
    }

    private func window(of stream: Int) -> Range<Int> {
        let next = streams[stream].nextClient
        return next..<min(streams[stream].client.count, next + Self.lookahead)
    }

    /// Skips the commands before the one that fits, with what answered them.
    private mutating func skip(
        to fit: Fit, _ command: ClientCommand, in stream: Int, on socket: Int, _ channel: Int?,
        at now: Instant
    ) -> [ReplayCommand] {
        let skipped = streams[stream].nextClient..<fit.index
        passedOver += skipped.count
        sockets[streams[stream].socket].done += skipped.count
        // No client waits for the answers; unsolicited messages of the server are still sent.
        var answers: Set<String> = []
        var ccids: Set<String> = []
        for index in skipped {
            let recorded = commands[Int(streams[stream].client[index])]
            ccids.formUnion(recorded.ccids)
            if recorded.name == "init" { answers.insert("auth") }
            answers.insert(recorded.name)
        }
        answers.remove("c")
        let next = streams[stream].nextServer
        let count = streams[stream].gates[next...].prefix { $0 <= fit.index }.count
        for place in (next..<(next + count)).reversed()
        where Int(streams[stream].gates[place]) > skipped.lowerBound {
            let recorded = commands[Int(streams[stream].server[place])]
            guard answers.contains(recorded.name) || recorded.ccids.contains(where: ccids.contains)
            else { continue }
            streams[stream].server.remove(at: place)
            streams[stream].gates.remove(at: place)
        }
        var others: [Int] = []
        streams[stream].nextClient = fit.index
        for ccid in ccids { others += waiting.removeValue(forKey: ccid) ?? [] }
        let output = accept(command, in: stream, fit, on: socket, channel, at: now)
        guard !others.isEmpty else { return output }
        let at = commands[Int(streams[stream].client[fit.index])].at
        return output + release(others, after: at, at: now)
    }

    // MARK: The closest candidate

    private func closest(to command: ClientCommand, in stream: Int) -> SimperiumMiss.Candidate? {
        var best: SimperiumMiss.Candidate?
        var fewest = Int.max
        let window = window(of: stream)
        for index in window {
            let recorded = commands[Int(streams[stream].client[index])]
            // The next one is what was expected; others have to be similar.
            guard index == window.lowerBound || recorded.name == command.name else { continue }
            let match = compared(command, with: index, of: stream, isStrict: false, limit: 8)
            var differences = match.differences
            if index > window.lowerBound {
                var ordered = Differences(limit: 8)
                ordered.add(order(command, stream))
                for one in differences.items { ordered.add(one) }
                differences = ordered
            }
            let weight = differences.items.count + (recorded.name == command.name ? 0 : 16)
            guard weight < fewest else { continue }
            fewest = weight
            best = .init(
                command: recorded.id, line: line(of: recorded), differences: differences)
        }
        return best
    }

    private func order(_ command: ClientCommand, _ stream: Int) -> Difference {
        let next = commands[Int(streams[stream].client[streams[stream].nextClient])]
        return Difference(
            .order, "the commands of the channel", recorded: "\(line(of: next)) first",
            live: command.line)
    }

    private func closestOpening(
        to command: ClientCommand, _ live: Live
    ) -> SimperiumMiss.Candidate? {
        var best: SimperiumMiss.Candidate?
        var fewest = Int.max
        var seen = 0
        for place in sockets.indices
        where live.socket == place || live.socket == nil && !sockets[place].wasPlayed {
            for stream in sockets[place].channels
            where streams[stream].live == nil && streams[stream].nextClient == 0 {
                guard let first = streams[stream].client.first, seen < Self.lookahead else {
                    continue
                }
                seen += 1
                let match = compared(command, with: 0, of: stream, isStrict: false, limit: 8)
                guard match.differences.items.count < fewest else { continue }
                fewest = match.differences.items.count
                let recorded = commands[Int(first)]
                best = .init(
                    command: recorded.id, line: line(of: recorded),
                    differences: match.differences)
            }
        }
        return best
    }
}
