import Notation
internal import Simperium
internal import Wire

extension TraceComparison {
    /// The commands of a channel of a socket, or those of its connection.
    private struct Stream {
        var socket: ConnectionID
        /// Application and bucket; empty for commands of the connection.
        var bucket = ""
        var client: String?
        /// Places of what each side sent: the client's, the server's.
        var places: [[Int32]] = [[], []]
    }

    /// What is compared of a command, hashed.
    private struct Keys {
        var whole: [Int] = []
        var masked: [Int] = []
        /// Name, and key and operation of the first change.
        var alike: [Int] = []
        var name: [Int] = []
    }

    mutating func compareCommands(_ emit: Emit) {
        guard !a.commands.isEmpty || !b.commands.isEmpty else { return }
        let streamsA = streams(a)
        let streamsB = streams(b)
        let keysA = keys(a)
        let keysB = keys(b)
        for (one, other) in paired(streamsA, streamsB, keysA, keysB) {
            let stream = one ?? other
            guard let stream else { continue }
            for sender in Peer.allCases {
                let left = one?.places[sender.rawValue] ?? []
                let right = other?.places[sender.rawValue] ?? []
                guard !left.isEmpty || !right.isEmpty else { continue }
                let alignment = Alignment(
                    [keysA.masked, keysA.alike, keysA.name].map { keys in
                        left.map { keys[Int($0)] }
                    },
                    [keysB.masked, keysB.alike, keysB.name].map { keys in
                        right.map { keys[Int($0)] }
                    })
                emit(.section(Self.title(stream, sender)))
                self.emit(alignment, emit) { comparison, step in
                    let one = step.a.map { Int(left[$0]) }
                    let other = step.b.map { Int(right[$0]) }
                    let isSame = one.flatMap { one in
                        other.map { keysA.whole[one] == keysB.whole[$0] }
                    }
                    return comparison.command(one, other, step.fit, isSame: isSame ?? false)
                }
            }
        }
    }

    private static func title(_ stream: Stream, _ sender: Peer) -> String {
        let what = stream.bucket.isEmpty ? "commands of connections" : "bucket \(stream.bucket)"
        let client = stream.client.map { ", client \(OneLine.text($0))" } ?? ""
        return "\(what)\(client), sent by the \(sender)"
    }

    private mutating func command(
        _ one: Int?, _ other: Int?, _ fit: Alignment.Fit?, isSame: Bool
    ) -> ComparedItem {
        func line(_ text: [UInt8]?) -> String? {
            text.map { OneLine.text(String(decoding: $0.prefix(400), as: UTF8.self)) }
        }
        let idA = one.map { a.commands.id(at: $0) }
        let idB = other.map { b.commands.id(at: $0) }
        let textA = idA.map { a.text($0) ?? [] }
        let textB = idB.map { b.text($0) ?? [] }
        var item = ComparedItem(
            one == nil ? .added : other == nil ? .missing : .same, a: idA?.rawValue,
            b: idB?.rawValue, lineA: line(textA), lineB: line(textB))
        guard let textA, let textB else { return item }
        if fit == .moved { item.change = .moved }
        if isSame { return item }
        var found = Differences(limit: options.limit + 200)
        let left = SimperiumComparison.Pieces(textA)
        let right = SimperiumComparison.Pieces(textB)
        if left.name != right.name {
            found.add(
                Difference(
                    .presence, "command", recorded: OneLine.text(left.name),
                    live: OneLine.text(right.name)))
        }
        if let one = left.key.map(names.other), one != right.key ?? "" {
            found.add(Difference(.presence, "key", recorded: one, live: right.key))
        }
        if left.version != right.version {
            found.add(
                Difference(.presence, "version", recorded: left.version, live: right.version))
        }
        let leftOut = commandLeftOut
        found.compare(
            Meaning(left.payload, without: leftOut).mapping(names.other),
            Meaning(right.payload, without: leftOut), in: Difference.Scope())
        settle(found, .command, into: &item)
        if !item.differences.isEmpty { item.change = .changed }
        return item
    }

    private var commandLeftOut: LeftOut {
        options.isExact ? leftOut : SimperiumComparison.leftOut(options.rules)
    }

    private func keys(_ session: ComparedSession) -> Keys {
        var keys = Keys()
        let leftOut = commandLeftOut
        for place in session.commands.indices {
            let text = session.text(session.commands.id(at: place)) ?? []
            let pieces = SimperiumComparison.Pieces(text)
            let mayHaveNames = !options.isExact && GeneratedText.mayOccur(in: text)
            let meaning =
                pieces.name == "h" ? Meaning.nothing : Meaning(pieces.payload, without: leftOut)
            let whole = Self.hash(pieces, pieces.key, meaning)
            keys.whole.append(whole)
            keys.masked.append(
                mayHaveNames
                    ? Self.hash(
                        pieces, pieces.key.map(GeneratedText.masked),
                        meaning.mapping(GeneratedText.masked)) : whole)
            var hasher = Hasher()
            hasher.combine(pieces.name)
            keys.name.append(hasher.finalize())
            hasher.combine(masked(pieces.key ?? ""))
            if case .json(let value) = meaning, pieces.name == "c" {
                var first = value
                if case .array(let elements) = value, let element = elements.first {
                    first = element
                }
                hasher.combine(masked(first["id"]?.string ?? ""))
                hasher.combine(first["o"]?.string)
            }
            keys.alike.append(hasher.finalize())
        }
        return keys
    }

    private static func hash(
        _ pieces: SimperiumComparison.Pieces, _ key: String?, _ meaning: Meaning
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(pieces.name)
        hasher.combine(key)
        hasher.combine(pieces.version)
        meaning.hash(into: &hasher)
        return hasher.finalize()
    }

    // MARK: Channels

    private func streams(_ session: ComparedSession) -> [Stream] {
        struct Route: Hashable {
            var socket: ConnectionID
            var channel: Int?
        }
        var numbers: [Route: Int] = [:]
        var streams: [Stream] = []
        for (place, command) in session.commands.enumerated() where !command.isFree {
            guard command.name != "h" else { continue }
            let route = Route(socket: command.socket, channel: command.channel)
            let number: Int
            if let known = numbers[route] {
                number = known
            } else {
                number = streams.count
                numbers[route] = number
                streams.append(Stream(socket: command.socket))
            }
            if command.name == "init", streams[number].bucket.isEmpty,
                case .initialize(let request) = SimperiumCommand.parse(
                    session.text(command.id) ?? [], from: .client
                ).body
            {
                let app = request.app.map { " of \(OneLine.text($0))" } ?? ""
                streams[number].bucket = OneLine.text(request.bucket ?? "") + app
                streams[number].client = request.clientID
            }
            streams[number].places[command.sender.rawValue].append(
                Int32(truncatingIfNeeded: place))
        }
        return streams
    }

    /// Streams that belong together, in the order of the first recording: those of one bucket with
    /// one client, then those with the most equal commands, then in their order.
    private func paired(
        _ a: [Stream], _ b: [Stream], _ keysA: Keys, _ keysB: Keys
    ) -> [(Stream?, Stream?)] {
        var partner = [Int?](repeating: nil, count: a.count)
        var isFree = [Bool](repeating: true, count: b.count)
        var byBucket: [String: (a: [Int], b: [Int])] = [:]
        for (index, stream) in a.enumerated() {
            byBucket[stream.bucket, default: ([], [])].a.append(index)
        }
        for (index, stream) in b.enumerated() {
            byBucket[stream.bucket, default: ([], [])].b.append(index)
        }
        for (_, group) in byBucket {
            var byClient: [String: [Int]] = [:]
            for index in group.b.reversed() {
                if let client = b[index].client { byClient[client, default: []].append(index) }
            }
            for index in group.a {
                guard let client = a[index].client, let other = byClient[client]?.popLast() else {
                    continue
                }
                partner[index] = other
                isFree[other] = false
            }
            var left = group.a.filter { partner[$0] == nil }
            var right = group.b.filter { isFree[$0] }
            if left.count > 1 || right.count > 1, left.count * right.count <= 256 {
                var scores: [(score: Int, a: Int, b: Int)] = []
                for one in left {
                    for other in right {
                        scores.append(
                            (Self.common(a[one], b[other], keysA, keysB), one, other))
                    }
                }
                scores.sort { ($0.score, $1.a, $1.b) > ($1.score, $0.a, $0.b) }
                for (score, one, other) in scores
                where score > 0 && partner[one] == nil && isFree[other] {
                    partner[one] = other
                    isFree[other] = false
                }
                left = left.filter { partner[$0] == nil }
                right = right.filter { isFree[$0] }
            }
            for (one, other) in zip(left, right) {
                partner[one] = other
                isFree[other] = false
            }
        }
        return a.indices.map { (a[$0], partner[$0].map { b[$0] }) }
            + b.indices.filter { isFree[$0] }.map { (nil, b[$0]) }
    }

    /// How many of the first commands of the clients are the same.
    private static func common(_ a: Stream, _ b: Stream, _ keysA: Keys, _ keysB: Keys) -> Int {
        var counts: [Int: Int] = [:]
        for place in a.places[0].prefix(1_000) { counts[keysA.whole[Int(place)], default: 0] += 1 }
        var common = 0
        for place in b.places[0].prefix(1_000) {
            let key = keysB.whole[Int(place)]
            guard let count = counts[key], count > 0 else { continue }
            counts[key] = count - 1
            common += 1
        }
        return common
    }
}
