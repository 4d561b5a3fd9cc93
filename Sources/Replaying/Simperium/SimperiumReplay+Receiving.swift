internal import Wire

extension SimperiumReplay {
    mutating func receive(_ text: [UInt8], on socket: Int, at now: Instant) -> [ReplayCommand] {
        if let output = modelled(text, on: socket, at: now) { return output }
        var live = lives[socket] ?? Live()
        defer { lives[socket] = live }
        if text.starts(with: [0x68, 0x3A]), let number = Self.number(text.dropFirst(2)) {
            return beat(number, on: socket, &live, at: now)
        }
        if text.starts(with: "log:".utf8) { return [] }
        let command = ClientCommand(text)
        let digits = text.prefix { $0 &- 0x30 < 10 }.count
        let isChannelled = digits > 0 && digits < text.count && text[digits] == 0x3A
        let channel = isChannelled ? Self.number(text[..<digits]).flatMap { Int(exactly: $0) } : nil
        let known =
            channel.map { live.channels[$0] } ?? live.socket.flatMap { sockets[$0].connection }
        if let known, let next = fitting(command, in: known) {
            return accept(command, in: known, next, on: socket, channel, at: now)
        }
        if command.name == "init", let channel {
            if let (stream, next) = opening(command, live) {
                if let known { streams[known].live = nil }
                live.channels[channel] = stream
                streams[stream].live = channel
                attach(streams[stream].socket, to: socket, &live)
                return accept(command, in: stream, next, on: socket, channel, at: now)
            }
        }
        let output = miss(command, text, in: known, on: socket, channel, live, at: now)
        // A model may have taken channels away.
        live = lives[socket] ?? live
        return output
    }

    /// The value of ASCII digits; nil for anything else.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self))
    }

    private mutating func beat(
        _ number: Int64, on socket: Int, _ live: inout Live, at now: Instant
    ) -> [ReplayCommand] {
        // One that went without answer does so again, and so do those after several of them with
        // which the socket ended: one may only have been too late for the recording.
        var isAnswered = true
        if let place = live.socket {
            let beats = sockets[place].beats
            isAnswered =
                live.beats < beats.count
                ? beats[live.beats] : beats.count < 2 || beats.suffix(2).contains(true)
        }
        live.beats += 1
        let (next, overflow) = number.addingReportingOverflow(1)
        guard isAnswered, !overflow else { return [] }
        return [
            .send(
                .init(
                    socket: socket, text: Array("h:\(next)".utf8), recorded: nil, recordedAt: nil,
                    due: now))
        ]
    }

    private mutating func attach(_ place: Int, to socket: Int, _ live: inout Live) {
        guard live.socket == nil else { return }
        live.socket = place
        sockets[place].live = socket
        sockets[place].wasPlayed = true
    }

    // MARK: Finding the counterpart

    struct Fit {
        /// Place in the channel's client commands.
        var index: Int
        var proposals: [Bindings.Proposal]
    }

    func compared(
        _ command: ClientCommand, with index: Int, of stream: Int, isStrict: Bool, limit: Int
    ) -> CommandMatch {
        let recorded = ClientCommand(text(streams[stream].client[index]))
        return CommandMatch(
            recorded, command, bucket: recorded.bucket ?? streams[stream].bucket,
            socket: sockets[streams[stream].socket].id, bindings: bindings, isStrict: isStrict,
            limit: limit)
    }

    /// The next recorded command of a channel, if the live one matches it.
    private func fitting(_ command: ClientCommand, in stream: Int) -> Fit? {
        let next = streams[stream].nextClient
        guard next < streams[stream].client.count else { return nil }
        let match = compared(command, with: next, of: stream, isStrict: false, limit: 1)
        return match.differences.isEmpty ? Fit(index: next, proposals: match.proposals) : nil
    }

    /// The first recorded channel that is opened like this.
    ///
    /// Where the socket plays none yet, clients that keep their name are preferred.
    private func opening(_ command: ClientCommand, _ live: Live) -> (stream: Int, fit: Fit)? {
        if let place = live.socket { return opening(command, on: place, isStrict: false) }
        for isStrict in [true, false] {
            for place in sockets.indices where !sockets[place].wasPlayed {
                if let found = opening(command, on: place, isStrict: isStrict) { return found }
            }
        }
        return nil
    }

    private func opening(
        _ command: ClientCommand, on place: Int, isStrict: Bool
    ) -> (stream: Int, fit: Fit)? {
        for stream in sockets[place].channels
        where streams[stream].live == nil && streams[stream].nextClient == 0 {
            guard let first = streams[stream].client.first,
                commands[Int(first)].name == "init"
            else { continue }
            let match = compared(command, with: 0, of: stream, isStrict: isStrict, limit: 1)
            if match.differences.isEmpty {
                return (stream, Fit(index: 0, proposals: match.proposals))
            }
        }
        return nil
    }

    // MARK: What follows

    mutating func accept(
        _ command: ClientCommand, in stream: Int, _ fit: Fit, on socket: Int, _ channel: Int?,
        at now: Instant
    ) -> [ReplayCommand] {
        let place = streams[stream].client[fit.index]
        if let bucket = command.bucket { streams[stream].bucket = bucket }
        bindings.bind(
            fit.proposals, bucket: streams[stream].bucket,
            socket: sockets[streams[stream].socket].id)
        isDone[Int(place)] = true
        matched += 1
        streams[stream].nextClient = fit.index + 1
        let owner = streams[stream].socket
        sockets[owner].done += 1
        var candidates = [stream]
        if let connection = sockets[owner].connection { candidates.append(connection) }
        for other in heldBack.removeValue(forKey: owner) ?? [] where other != stream {
            candidates.append(other)
        }
        for ccid in commands[Int(place)].ccids {
            if let others = waiting.removeValue(forKey: ccid) { candidates += others }
        }
        return release(candidates, after: commands[Int(place)].at, at: now)
    }

    mutating func close(_ socket: Int, at now: Instant) -> [ReplayCommand] {
        takeover?.close(socket)
        guard let live = lives.removeValue(forKey: socket), let place = live.socket else {
            return []
        }
        sockets[place].live = nil
        // What waits for this client waits without end.
        let candidates = waiting.values.flatMap { $0 }
        waiting = [:]
        let last = commands.last?.at ?? .zero
        return release(candidates, after: last, at: now)
    }

    /// Whether changes of clients that did not connect yet hold something up.
    public var awaitsAbsent: Bool {
        waitsForAbsent && waiting.keys.contains { absentAuthor(of: $0) != nil }
    }

    /// The recorded socket whose client made a change, where that may still come.
    private func absentAuthor(of ccid: String) -> Int? {
        guard let author = authors[ccid], !isDone[Int(author)] else { return nil }
        let socket = streams[Int(streamOf[Int(author)])].socket
        return sockets[socket].live == nil && sockets[socket].mayCome ? socket : nil
    }

    mutating func goOnWithoutAbsent(at now: Instant) -> [ReplayCommand] {
        var candidates: [Int] = []
        var last = Instant.zero
        for (ccid, streams) in waiting {
            guard let socket = absentAuthor(of: ccid) else { continue }
            sockets[socket].isMissing = true
            candidates += streams
            waiting[ccid] = nil
            if let author = authors[ccid] { last = max(last, commands[Int(author)].at) }
        }
        return release(candidates, after: last, at: now)
    }
}
