internal import Simperium
internal import Wire

/// Finds which recorded server commands answer a `cv`.
///
/// A `c` may be that answer or an unsolicited change of another client made meanwhile. An answer is
/// recognised where it has no changes, several changes, or changes that the channel had received;
/// it repeats the unsolicited changes that arrived while it was awaited. Where there is none, the
/// answer is the first change of another client that was made before the channel was open, as a
/// later one is unsolicited, and before anything that answers a later command. An `init` that
/// requests changes is answered first.
enum CatchUpAnswers {
    /// The answers among the commands of a recording.
    ///
    /// - Parameters:
    ///   - commands: All of them.
    ///   - lost: Client commands that the server never got.
    ///   - fetch: Gives the text of a command; called for `init`, and where an answer is in doubt.
    /// - Returns: The requests, by their answers.
    static func find(
        in commands: TimedCommands, lost: Set<CommandID>, fetch: (CommandID) -> [UInt8]?
    ) -> [CommandID: CommandID] {
        let taken = commands.indices.lazy.filter {
            lost.isEmpty || !lost.contains(commands.id(commands[$0]))
        }
        var openings: Set<Int> = []
        var channels = [Channel?](repeating: nil, count: commands.commands.streams.count)
        for index in taken {
            let command = commands[index]
            guard command.sender == .client, !command.isOfConnection else { continue }
            if command.name == .initialization,
                asksForChanges(fetch(commands.id(command)) ?? [])
            {
                openings.insert(index)
            } else if command.name != .changesSince {
                continue
            }
            channels[command.stream] = Channel()
        }
        guard channels.contains(where: { $0 != nil }) else { return [:] }
        for index in taken {
            let command = commands[index]
            guard command.sender == .server, command.mayAnswer else { continue }
            channels[command.stream]?.replies.append(Int32(truncatingIfNeeded: index))
        }
        var made = [Instant?](repeating: nil, count: commands.commands.ccidCount)
        for index in taken {
            let command = commands[index]
            guard command.sender == .client else { continue }
            for ccid in commands.ccids(command) where made[Int(ccid)] == nil {
                made[Int(ccid)] = commands.at(index)
            }
        }
        var found: [CommandID: CommandID] = [:]
        var doubtful: [Doubt] = []
        var preceding = PrecedingVersions(commands)
        for index in taken {
            let command = commands[index]
            guard channels[command.stream] != nil else { continue }
            let received = Received(
                id: commands.id(command), name: command.name, at: commands.at(index),
                ccids: Array(commands.ccids(command)))
            if command.sender == .client {
                channels[command.stream]?.send(received, isOpening: openings.contains(index))
            } else {
                channels[command.stream]?.receive(received, commands, made, &found, &doubtful) {
                    question, change, answer, found in
                    let known = preceding.versions(
                        before: change, answers: found, doubtful: [answer], fetch: fetch)
                    let asked = PrecedingVersions.asked(fetch(question))
                    return asked.map { known.sure.contains($0) } ?? false
                }
            }
        }
        for stream in channels.indices { channels[stream]?.end(&doubtful) }
        // Those whose change follows the requested change version, as far as is known.
        let answers = found
        let doubts = Set(doubtful.map(\.answer))
        for doubt in doubtful {
            let (sure, unsure) = preceding.versions(
                before: doubt.ccid, answers: answers, doubtful: doubts, fetch: fetch)
            let known = sure.isEmpty ? unsure : sure
            let asked = PrecedingVersions.asked(fetch(doubt.question))
            guard known.isEmpty || asked.map({ known.contains($0) }) == true else { continue }
            found[doubt.answer] = doubt.question
        }
        return found
    }

    /// The answers among the commands of a recording.
    static func find(
        in commands: [RecordedCommand], lost: Set<CommandID>, fetch: (CommandID) -> [UInt8]?
    ) -> [CommandID: CommandID] {
        find(in: TimedCommands(RecordedCommands(commands)), lost: lost, fetch: fetch)
    }

    /// Whether an `init` requests changes.
    private static func asksForChanges(_ text: [UInt8]) -> Bool {
        let command = SimperiumCommand.parse(text, from: .client)
        guard case .initialize(let request) = command.body,
            case .changesSince? = request.request
        else { return false }
        return true
    }

    /// A change that arrived unsolicited, or as the answer.
    private struct Doubt {
        var answer: CommandID
        var question: CommandID
        var ccid: UInt32
    }

    /// A command of a channel on which changes are requested.
    private struct Received {
        var id: CommandID
        var name: TimedCommands.Name
        var at: Instant
        var ccids: [UInt32]
    }

    /// Requests that are not answered yet.
    private struct Open {
        var indices = 0
        var objects = 0

        /// How often this was requested.
        subscript(_ name: TimedCommands.Name) -> Int {
            get { name == .index ? indices : objects }
            set { if name == .index { indices = newValue } else { objects = newValue } }
        }
    }

    /// A `cv` whose answer is looked for.
    private struct Question {
        var command: CommandID
        /// Whether its answer comes before anything else.
        var isOpening: Bool
        /// Earlier requests that are not answered.
        var open: Open
        /// Changes that came after it, one by one, of which the first is the answer unless another
        /// one repeats it.
        var candidates: [(command: CommandID, ccids: [UInt32])] = []

        /// That the first of those is the answer.
        var doubt: Doubt? {
            guard let first = candidates.first, let ccid = first.ccids.first else { return nil }
            return Doubt(answer: first.command, question: command, ccid: ccid)
        }
    }

    /// Whether a change, as a command contains it, is known to follow the requested change version,
    /// by the answers that were found so far.
    private typealias Follows = (
        _ question: CommandID, _ ccid: UInt32, _ answer: CommandID, [CommandID: CommandID]
    ) -> Bool

    private struct Channel {
        /// Commands of the server that may be answers, in order.
        var replies: [Int32] = []
        /// How many of them have come.
        private var come = 0
        /// When the server authorised the client.
        private var openedAt: Instant?
        private var reported: Set<UInt32> = []
        /// Its own changes that are sent and unacknowledged, with the number of requests before
        /// each.
        private var sent: [UInt32: Int] = [:]
        private var open = Open()
        private var asked = 0
        /// Those that have no answer yet.
        private var questions: [Question] = []

        mutating func send(_ command: Received, isOpening: Bool) {
            switch command.name {
            case .change: for ccid in command.ccids { sent[ccid] = asked }
            case .index, .object: open[command.name] += 1
            default: break
            }
            guard isOpening || command.name == .changesSince else { return }
            asked += 1
            questions.append(Question(command: command.id, isOpening: isOpening, open: open))
        }

        /// `made` contains when clients sent changes first, by their `ccid`.
        mutating func receive(
            _ command: Received, _ commands: TimedCommands, _ made: [Instant?],
            _ found: inout [CommandID: CommandID], _ doubtful: inout [Doubt],
            follows: Follows
        ) {
            if command.name == .change || command.name == .changesSince { come += 1 }
            switch command.name {
            case .authorization: openedAt = command.at
            case .changesSince:
                if questions.count > 1, let doubt = questions[0].doubt,
                    follows(doubt.question, doubt.ccid, doubt.answer, found),
                    hasSpareQuestion(commands, found, follows)
                {
                    // One change answered the first question, and this answers the next.
                    close(&doubtful)
                }
                answer(command, &found)
            case .change: change(command, made, &found, &doubtful)
            case .index, .object:
                open[command.name] -= 1
                for index in questions.indices { questions[index].open[command.name] -= 1 }
                // A server takes the commands of a channel in their order.
                while let left = questions.first?.open[command.name], left < 0 {
                    close(&doubtful)
                }
            default: break
            }
        }

        /// Whether there are more requests than answers, this one included, before the next answer
        /// whose request is known: then one was answered by a change.
        private func hasSpareQuestion(
            _ commands: TimedCommands, _ found: [CommandID: CommandID], _ follows: Follows
        ) -> Bool {
            var count = 1
            for index in replies[come...] {
                let reply = commands[Int(index)]
                let ccids = commands.ccids(reply)
                guard reply.name == .change, let first = ccids.first else {
                    count += 1
                    continue
                }
                // A single change may be unsolicited.
                guard ccids.count > 1 else { continue }
                let known = questions.firstIndex {
                    follows($0.command, first, commands.id(reply), found)
                }
                if let known { return known > count }
                count += 1
            }
            return false
        }

        mutating func end(
            _ doubtful: inout [Doubt]
        ) {
            while !questions.isEmpty { close(&doubtful) }
        }

        private mutating func change(
            _ command: Received, _ made: [Instant?],
            _ found: inout [CommandID: CommandID], _ doubtful: inout [Doubt]
        ) {
            let ccids = command.ccids
            // Its own change is acknowledged once for each time that it was sent.
            let behind = ccids.compactMap { sent.removeValue(forKey: $0) }.max()
            let isRepeated = ccids.contains { reported.contains($0) }
            reported.formUnion(ccids)
            if let behind, ccids.count == 1 {
                while !questions.isEmpty, asked - questions.count < behind { close(&doubtful) }
            } else if isRepeated || ccids.count != 1 {
                // What arrived unsolicited after the request is in the answer to it.
                while questions.count > 1, let first = questions[0].candidates.first,
                    !first.ccids.contains(where: { ccids.contains($0) })
                {
                    close(&doubtful)
                }
                answer(command, &found)
            } else if questions.first?.isOpening == true {
                answer(command, &found)
            } else if !isNews(ccids, made) {
                for index in questions.indices {
                    questions[index].candidates.append((command.id, ccids))
                }
            }
        }

        /// Whether the server sent a change when it was made, since the channel was open by then.
        private func isNews(_ ccids: [UInt32], _ made: [Instant?]) -> Bool {
            guard let openedAt else { return false }
            return ccids.contains { made[Int($0)].map { $0 > openedAt } ?? false }
        }

        private mutating func answer(
            _ command: Received, _ found: inout [CommandID: CommandID]
        ) {
            guard !questions.isEmpty else { return }
            found[command.id] = questions.removeFirst().command
            // A server answers in order: what came before this is no answer to a later question.
            for index in questions.indices { questions[index].candidates.removeAll() }
        }

        /// What is known of the first request by now is kept.
        private mutating func close(
            _ doubtful: inout [Doubt]
        ) {
            guard !questions.isEmpty else { return }
            guard let doubt = questions.removeFirst().doubt else { return }
            doubtful.append(doubt)
            for index in questions.indices {
                questions[index].candidates.removeAll { $0.command == doubt.answer }
            }
        }
    }
}
