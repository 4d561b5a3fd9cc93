import Notation
internal import Simperium
internal import Wire

extension TraceComparison {
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
        var streamsA = CommandStreams(a)
        var streamsB = CommandStreams(b)
        if !options.isExact {
            let reopened = streamsA.reopened.union(streamsB.reopened)
            streamsA.join(reopened)
            streamsB.join(reopened)
        }
        let keysA = streamsA.all.map { stream in stream.commands.map { keys(of: $0, in: a) } }
        let keysB = streamsB.all.map { stream in stream.commands.map { keys(of: $0, in: b) } }
        let pairs = Self.paired(
            streamsA.all, streamsB.all, keysA.map { $0[0].whole }, keysB.map { $0[0].whole })
        for (one, other) in pairs {
            let streamA = one.map { streamsA.all[$0] }
            let streamB = other.map { streamsB.all[$0] }
            guard let stream = streamA ?? streamB else { continue }
            for sender in Peer.allCases {
                let left = streamA?.commands[sender.rawValue] ?? []
                let right = streamB?.commands[sender.rawValue] ?? []
                guard !left.isEmpty || !right.isEmpty else { continue }
                let leftKeys = one.map { keysA[$0][sender.rawValue] } ?? Keys()
                let rightKeys = other.map { keysB[$0][sender.rawValue] } ?? Keys()
                let alignment = Alignment(
                    [leftKeys.masked, leftKeys.alike, leftKeys.name],
                    [rightKeys.masked, rightKeys.alike, rightKeys.name])
                emit(.section(Self.title(stream, sender)))
                self.emit(alignment, emit) { comparison, step in
                    let isSame = step.a.flatMap { one in
                        step.b.map { leftKeys.whole[one] == rightKeys.whole[$0] }
                    }
                    return comparison.command(
                        step.a.map { left[$0] }, step.b.map { right[$0] }, step.fit,
                        isSame: isSame ?? false)
                }
            }
        }
    }

    private static func title(_ stream: CommandStream, _ sender: Peer) -> String {
        let what = stream.bucket.isEmpty ? "commands of connections" : "bucket \(stream.bucket)"
        let client = stream.client.map { ", client \(OneLine.text($0))" } ?? ""
        let changes = stream.isOfAll ? ", changes on all connections" : ""
        return "\(what)\(client)\(changes), sent by the \(sender)"
    }

    private mutating func command(
        _ one: ComparedCommand?, _ other: ComparedCommand?, _ fit: Alignment.Fit?, isSame: Bool
    ) -> ComparedItem {
        func line(_ text: [UInt8]?) -> String? {
            text.map { OneLine.text(String(decoding: $0.prefix(400), as: UTF8.self)) }
        }
        let idA = one.map { a.commands.id(at: Int($0.place)) }
        let idB = other.map { b.commands.id(at: Int($0.place)) }
        let textA = one.map { $0.text(in: a) }
        let textB = other.map { $0.text(in: b) }
        let lineA = line(textA)
        var item = ComparedItem(
            one == nil ? .added : other == nil ? .missing : .same, a: idA?.rawValue,
            b: idB?.rawValue, lineA: lineA, lineB: textA == textB ? lineA : line(textB))
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
        found.compare(
            meaning(left).mapping(names.other), meaning(right), in: Difference.Scope())
        settle(found, .command, into: &item)
        if !item.differences.isEmpty { item.change = .changed }
        return item
    }

    /// What a command says, without what is not compared.
    private func meaning(_ pieces: SimperiumComparison.Pieces) -> Meaning {
        // A client is where its last connection left it.
        let isPosition = pieces.name == "cv" && pieces.payload != Array("?".utf8)
        if pieces.name == "h" || isPosition && !options.isExact { return .nothing }
        return Meaning(pieces.payload, without: commandLeftOut)
    }

    private func keys(of commands: [ComparedCommand], in session: ComparedSession) -> Keys {
        var keys = Keys()
        for command in commands {
            let text = command.text(in: session)
            let pieces = SimperiumComparison.Pieces(text)
            let mayHaveNames = !options.isExact && GeneratedText.mayOccur(in: text)
            let meaning = meaning(pieces)
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

    /// Streams that belong together, in the order of the first recording: those of one bucket with
    /// one client, then those with the most equal commands, then in their order.
    ///
    /// - Returns: Their places.
    private static func paired(
        _ a: [CommandStream], _ b: [CommandStream], _ keysA: [[Int]], _ keysB: [[Int]]
    ) -> [(Int?, Int?)] {
        var partner = [Int?](repeating: nil, count: a.count)
        var isFree = [Bool](repeating: true, count: b.count)
        struct Kind: Hashable {
            var bucket: String
            var isOfAll: Bool

            init(_ stream: CommandStream) {
                bucket = stream.bucket
                isOfAll = stream.isOfAll
            }
        }
        var byBucket: [Kind: (a: [Int], b: [Int])] = [:]
        for (index, stream) in a.enumerated() {
            byBucket[Kind(stream), default: ([], [])].a.append(index)
        }
        for (index, stream) in b.enumerated() {
            byBucket[Kind(stream), default: ([], [])].b.append(index)
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
                            (Self.common(keysA[one], keysB[other]), one, other))
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
        return a.indices.map { ($0, partner[$0]) }
            + b.indices.filter { isFree[$0] }.map { (nil, $0) }
    }

    /// How many of the first commands of the clients are the same.
    private static func common(_ a: [Int], _ b: [Int]) -> Int {
        var counts: [Int: Int] = [:]
        for key in a.prefix(1_000) { counts[key, default: 0] += 1 }
        var common = 0
        for key in b.prefix(1_000) {
            guard let count = counts[key], count > 0 else { continue }
            counts[key] = count - 1
            common += 1
        }
        return common
    }
}
