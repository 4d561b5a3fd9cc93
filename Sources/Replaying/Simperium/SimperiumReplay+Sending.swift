internal import Wire

extension SimperiumReplay {
    /// Sends what is no longer blocked, in the order of the recording.
    ///
    /// - Parameters:
    ///   - candidates: Places of the channels that may continue.
    ///   - base: When the command that releases them was recorded.
    ///   - now: When it happened.
    /// - Returns: What is sent, and the end of sockets that are through.
    mutating func release(
        _ candidates: [Int], after base: Instant, at now: Instant
    ) -> [ReplayCommand] {
        var ready: [(place: Int32, stream: Int)] = []
        var owners: [Int] = []
        for stream in candidates {
            collect(stream, into: &ready)
            let owner = streams[stream].socket
            if !owners.contains(owner) { owners.append(owner) }
        }
        ready.sort { $0.place < $1.place }
        var output: [ReplayCommand] = []
        for (place, stream) in ready {
            let command = commands[Int(place)]
            guard let socket = sockets[streams[stream].socket].live else { continue }
            let text = ServerText.rewritten(
                self.text(place), channel: streams[stream].live, bucket: streams[stream].bucket,
                socket: command.socket, bindings: &bindings)
            let delay = command.at.nanoseconds - base.nanoseconds
            let due = max(pace.due(delay, after: now), streams[stream].due)
            streams[stream].due = due
            sent += 1
            output.append(
                .send(
                    .init(
                        socket: socket, text: text, recorded: command.id, recordedAt: command.at,
                        due: due)))
        }
        for owner in owners {
            if let end = ending(owner, after: base, at: now) { output.append(end) }
        }
        return output
    }

    /// Takes from a channel what the server sends now.
    private mutating func collect(_ stream: Int, into ready: inout [(place: Int32, stream: Int)]) {
        while streams[stream].nextServer < streams[stream].server.count {
            let next = streams[stream].nextServer
            let done =
                streams[stream].channel == nil
                ? sockets[streams[stream].socket].done : streams[stream].nextClient
            guard Int(streams[stream].gates[next]) <= done else { return }
            let place = streams[stream].server[next]
            if let ccid = awaited(by: place) {
                if waiting[ccid]?.contains(stream) != true {
                    waiting[ccid, default: []].append(stream)
                }
                return
            }
            let owner = streams[stream].socket
            if isOfAbsent(place, on: owner),
                sockets[owner].done < clientCommands(before: place, owner)
            {
                heldBack[owner, default: []].insert(stream)
                return
            }
            streams[stream].nextServer += 1
            ready.append((place, stream))
        }
    }

    /// The change in a server command that a connected client has not made yet.
    private func awaited(by place: Int32) -> String? {
        commands[Int(place)].ccids.first { ccid in
            guard let author = authors[ccid], author < place, !isDone[Int(author)] else {
                return false
            }
            let stream = Int(streamOf[Int(author)])
            // One that a lenient replay skipped is not sent any more.
            let next = streams[stream].nextClient
            guard next < streams[stream].client.count, author >= streams[stream].client[next]
            else { return false }
            let socket = sockets[streams[stream].socket]
            return socket.live != nil || waitsForAbsent && socket.mayCome
        }
    }

    /// Whether a server command contains a change of a client that is not connected and has not
    /// made it.
    ///
    /// That client may connect later or never. What the recorded client of this socket had done by
    /// then, on any channel, best approximates the time when it was sent.
    private func isOfAbsent(_ place: Int32, on owner: Int) -> Bool {
        commands[Int(place)].ccids.contains { ccid in
            guard let author = authors[ccid], author < place, !isDone[Int(author)] else {
                return false
            }
            return streams[Int(streamOf[Int(author)])].socket != owner
        }
    }

    /// Commands that the client of a recorded socket had sent before this one.
    private func clientCommands(before place: Int32, _ owner: Int) -> Int {
        let all = sockets[owner].channels + (sockets[owner].connection.map { [$0] } ?? [])
        return all.reduce(0) { count, stream in
            let client = streams[stream].client
            var (low, high) = (0, client.count)
            while low < high {
                let middle = (low + high) / 2
                if client[middle] < place { low = middle + 1 } else { high = middle }
            }
            return count + low
        }
    }

    /// The end of a socket that the server closed, once everything else is over.
    private mutating func ending(
        _ owner: Int, after base: Instant, at now: Instant
    ) -> ReplayCommand? {
        let socket = sockets[owner]
        guard let end = socket.end, let live = socket.live, socket.done == socket.count else {
            return nil
        }
        let all = socket.channels + (socket.connection.map { [$0] } ?? [])
        guard all.allSatisfy({ streams[$0].nextServer == streams[$0].server.count }) else {
            return nil
        }
        let delay = end.at.nanoseconds - base.nanoseconds
        let last = all.map { streams[$0].due }.max() ?? now
        sockets[owner].live = nil
        return .close(
            socket: live, code: end.code, due: max(pace.due(delay, after: now), last))
    }
}
