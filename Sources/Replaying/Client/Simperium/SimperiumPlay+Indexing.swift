internal import Simperium
internal import Wire

extension SimperiumPlay {
    private struct Route: Hashable {
        var socket: Int
        var channel: Int?
    }

    /// Sorts the commands by channel.
    mutating func index(_ known: [RecordedSocket]) {
        let ends = Dictionary(known.map { ($0.id, $0.end) }, uniquingKeysWith: { $1 })
        var routes: [Route: Int] = [:]
        for id in known.map(\.id) { _ = socket(id, ends) }
        for (index, command) in commands.enumerated() {
            let place = Int32(truncatingIfNeeded: index)
            let socket = socket(command.socket, ends)
            if command.isFree { continue }
            let route = Route(socket: socket, channel: command.channel)
            let stream = routes[route] ?? streams.count
            if stream == streams.count {
                routes[route] = stream
                streams.append(PlayedStream(socket: socket, channel: command.channel))
                sockets[socket].streams.append(stream)
            }
            if command.sender == .client {
                streams[stream].client.append(place)
                if command.name == "cv" { streams[stream].catchUps.append(place) }
            } else {
                streams[stream].server.append(place)
                sockets[socket].played.recorded += 1
            }
        }
        var found: [String: Int] = [:]
        for stream in streams.indices { indexOpenings(stream, &found) }
        indexChanges()
    }

    private mutating func socket(
        _ id: ConnectionID, _ ends: [ConnectionID: RecordedSocket.End?]
    ) -> Int {
        if let known = socketPlaces[id] { return known }
        socketPlaces[id] = sockets.count
        // What the network cut off, the server need not close.
        let end = (ends[id] ?? nil).flatMap { $0.code == nil ? nil : $0 }
        sockets.append(Socket(id: id, end: end, played: PlayedSocket(id)))
        return sockets.count - 1
    }

    private mutating func indexOpenings(_ stream: Int, _ found: inout [String: Int]) {
        for place in streams[stream].client where commands[Int(place)].name == "init" {
            let text = text(place)
            let command = SimperiumCommand.parse(text, from: .client)
            guard case .initialize(let request) = command.body else { continue }
            switch request.request {
            case .changesSince: streams[stream].catchUps.append(place)
            case .index: streams[stream].openingPages += 1
            case .other, nil: break
            }
            // A user may log in again and be given another token.
            let answer = streams[stream].server.first {
                $0 > place && commands[Int($0)].name == "auth"
            }
            var user = "token \(request.token ?? "")"
            if let answer {
                let text = self.text(answer)
                let reply = SimperiumCommand.parse(text, from: .server)
                if case .auth(.accepted(let name)) = reply.body { user = "user \(name)" }
            }
            let name = request.bucket ?? ""
            let id = "\(request.app ?? "")\n\(name)\n\(user)"
            let bucket = found[id] ?? buckets.count
            if bucket == buckets.count {
                found[id] = bucket
                buckets.append(Bucket(name: name))
            }
            streams[stream].openings.append((place, bucket))
        }
        streams[stream].catchUps.sort()
    }

    /// Determines which changes the recorded server received, and which clients received their
    /// outcomes.
    private mutating func indexChanges() {
        var made: [String: (stream: Int, places: [Int32])] = [:]
        for (stream, each) in streams.enumerated() {
            for place in each.client where commands[Int(place)].name == "c" {
                for ccid in commands[Int(place)].ccids {
                    made[ccid, default: (stream, [])].places.append(place)
                }
            }
        }
        for (stream, each) in streams.enumerated() {
            for place in each.server where commands[Int(place)].name == "c" {
                for ccid in commands[Int(place)].ccids {
                    guard let author = made[ccid] else { continue }
                    if author.stream == stream {
                        reportedThere.insert(ccid)
                    } else {
                        reportedElsewhere.insert(ccid)
                    }
                }
            }
        }
        reportedElsewhere.subtract(reportedThere)
        let lost = settings.isVerbatim ? [] : LostCommands.find(in: commands, fetch: fetch)
        catchUpAnswers = Set(CatchUpAnswers.find(in: commands, lost: lost, fetch: fetch).keys)
        if !lost.isEmpty {
            for (place, command) in commands.enumerated() where lost.contains(command.id) {
                self.lost.insert(Int32(truncatingIfNeeded: place))
            }
        }
        for (ccid, author) in made {
            let place = author.places.first { !self.lost.contains($0) } ?? author.places.last ?? 0
            var stream = author.stream
            if author.places.count > 1 {
                stream = streams.firstIndex { $0.client.contains(place) } ?? stream
            }
            authors[ccid] = Author(place: place, stream: Int32(truncatingIfNeeded: stream))
        }
    }
}
