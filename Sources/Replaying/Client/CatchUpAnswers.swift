internal import Simperium
internal import Wire

/// Finds which recorded server commands answer a `cv`.
///
/// A `c` may be that answer or tell of a change that somebody made meanwhile. An answer that tells
/// nothing, of several changes or of some that the channel had heard of is known by that, and
/// repeats what came by itself while it was awaited; where none comes, the answer is the first change
/// of somebody else that was made before the channel was open, as a later one came by itself, and
/// before anything that answers a later command. An `init` that asks for changes is answered first
/// of all.
enum CatchUpAnswers {
    private struct Route: Hashable {
        var socket: ConnectionID
        var channel: Int?
    }

    /// The answers among the commands of a recording.
    ///
    /// - Parameters:
    ///   - commands: Those of each channel in the order of the recording.
    ///   - lost: Client commands that the server never got.
    ///   - fetch: Gives the text of a command; asked for `init`, and where an answer is in doubt.
    /// - Returns: What each asked, by what answers it.
    static func find(
        in commands: [RecordedCommand], lost: Set<CommandID>,
        fetch: (CommandID) -> [UInt8]?
    ) -> [CommandID: CommandID] {
        let commands = lost.isEmpty ? commands : commands.filter { !lost.contains($0.id) }
        var channels: [Route: Channel] = [:]
        var openings: Set<CommandID> = []
        for command in commands where command.sender == .client && command.channel != nil {
            let isOpening = command.name == "init" && asksForChanges(fetch(command.id) ?? [])
            if isOpening { openings.insert(command.id) }
            guard isOpening || command.name == "cv" else { continue }
            channels[Route(socket: command.socket, channel: command.channel)] = Channel()
        }
        guard !channels.isEmpty else { return [:] }
        var made: [String: Instant] = [:]
        for command in commands where command.sender == .client {
            for ccid in command.ccids where made[ccid] == nil { made[ccid] = command.at }
        }
        var found: [CommandID: CommandID] = [:]
        var doubtful: [Doubt] = []
        for command in commands {
            let route = Route(socket: command.socket, channel: command.channel)
            if command.sender == .client {
                let isOpening = openings.contains(command.id)
                channels[route]?.send(command, isOpening: isOpening)
            } else {
                channels[route]?.receive(command, made, &found, &doubtful)
            }
        }
        for var channel in channels.values { channel.end(&doubtful) }
        for (answer, question) in confirmed(doubtful, found, commands, fetch) {
            found[answer] = question
        }
        return found
    }

    /// Those answers of one change whose change follows what was asked for, as far as is known.
    private static func confirmed(
        _ doubtful: [Doubt], _ found: [CommandID: CommandID],
        _ commands: [RecordedCommand], _ fetch: (CommandID) -> [UInt8]?
    ) -> [CommandID: CommandID] {
        guard !doubtful.isEmpty else { return [:] }
        // What any channel heard of right before those changes. What is itself in doubt is asked
        // last: a channel that heard of later changes may be told of earlier ones.
        var before: [String: Set<String>] = [:]
        var doubtfully: [String: Set<String>] = [:]
        var heard: [Route: [RecordedCommand]] = [:]
        let ccids = Set(doubtful.map(\.ccid))
        let doubts = Set(doubtful.map(\.answer))
        for command in commands where command.sender == .server && command.name == "c" {
            let route = Route(socket: command.socket, channel: command.channel)
            for ccid in command.ccids where ccids.contains(ccid) {
                // The first change of an answer follows what was asked for.
                let question = ccid == command.ccids.first ? found[command.id] : nil
                let known = (heard[route] ?? []) + [command]
                let cv =
                    question.map { versionAsked(fetch($0) ?? []) }
                    ?? version(before: ccid, known, fetch)
                guard let cv else { continue }
                if doubts.contains(command.id) {
                    doubtfully[ccid, default: []].insert(cv)
                } else {
                    before[ccid, default: []].insert(cv)
                }
            }
            guard !command.ccids.isEmpty else { continue }
            heard[route, default: []].append(command)
            if heard[route]?.count ?? 0 > 8 { heard[route]?.removeFirst() }
        }
        var confirmed: [CommandID: CommandID] = [:]
        for doubt in doubtful {
            let known = before[doubt.ccid] ?? doubtfully[doubt.ccid] ?? []
            let asked = versionAsked(fetch(doubt.question) ?? [])
            guard known.isEmpty || asked.map({ known.contains($0) }) == true else { continue }
            confirmed[doubt.answer] = doubt.question
        }
        return confirmed
    }

    /// The change version that a channel heard of right before a change.
    private static func version(
        before ccid: String, _ commands: [RecordedCommand], _ fetch: (CommandID) -> [UInt8]?
    ) -> String? {
        var last: String?
        for command in commands {
            let text = SimperiumCommand.parse(fetch(command.id) ?? [], from: .server)
            guard case .changes(let changes) = text.body else { continue }
            for change in changes where change.error == nil {
                if change.ccids.contains(ccid) { return last }
                last = change.cv
            }
        }
        return nil
    }

    private static func versionAsked(_ text: [UInt8]) -> String? {
        let command = SimperiumCommand.parse(text, from: .client)
        if case .initialize(let request) = command.body,
            case .changesSince(let version)? = request.request
        {
            return version
        }
        return command.cv
    }

    /// Whether an `init` asks for changes.
    private static func asksForChanges(_ text: [UInt8]) -> Bool {
        let command = SimperiumCommand.parse(text, from: .client)
        guard case .initialize(let request) = command.body,
            case .changesSince? = request.request
        else { return false }
        return true
    }

    /// A change that came by itself, or as the answer.
    private struct Doubt {
        var answer: CommandID
        var question: CommandID
        var ccid: String
    }

    /// A `cv` whose answer is looked for.
    private struct Question {
        var command: CommandID
        /// Whether its answer comes before anything else.
        var isOpening: Bool
        /// What was asked before it and is not answered, by the name of the answer.
        var open: [String: Int]
        /// Changes that came behind it, one by one, of which the first is the answer unless
        /// another one repeats it.
        var candidates: [(command: CommandID, ccids: [String])] = []
    }

    private struct Channel {
        /// When the server had let the client in.
        private var openedAt: Instant?
        private var told: Set<String> = []
        /// Changes of its own on their way, and how many questions came before each.
        private var sent: [String: Int] = [:]
        private var open: [String: Int] = [:]
        private var asked = 0
        /// Those that have no answer yet.
        private var questions: [Question] = []

        mutating func send(_ command: RecordedCommand, isOpening: Bool) {
            switch command.name {
            case "c": for ccid in command.ccids { sent[ccid] = asked }
            case "i", "e": open[command.name, default: 0] += 1
            default: break
            }
            guard isOpening || command.name == "cv" else { return }
            asked += 1
            questions.append(Question(command: command.id, isOpening: isOpening, open: open))
        }

        /// `made` says when clients sent changes first, by their `ccid`.
        mutating func receive(
            _ command: RecordedCommand, _ made: [String: Instant],
            _ found: inout [CommandID: CommandID], _ doubtful: inout [Doubt]
        ) {
            switch command.name {
            case "auth": openedAt = command.at
            case "cv": answer(command, &found)
            case "c": change(command, made, &found, &doubtful)
            case "i", "e":
                open[command.name, default: 0] -= 1
                for index in questions.indices {
                    questions[index].open[command.name, default: 0] -= 1
                }
                // A server takes the commands of a channel in their order.
                while let left = questions.first?.open[command.name, default: 0], left < 0 {
                    close(&doubtful)
                }
            default: break
            }
        }

        mutating func end(
            _ doubtful: inout [Doubt]
        ) {
            while !questions.isEmpty { close(&doubtful) }
        }

        private mutating func change(
            _ command: RecordedCommand, _ made: [String: Instant],
            _ found: inout [CommandID: CommandID], _ doubtful: inout [Doubt]
        ) {
            let ccids = command.ccids
            // Its own change is told of once for each time that it was sent.
            let behind = ccids.compactMap { sent.removeValue(forKey: $0) }.max()
            let isRepeated = ccids.contains { told.contains($0) }
            told.formUnion(ccids)
            if let behind, ccids.count == 1 {
                while !questions.isEmpty, asked - questions.count < behind { close(&doubtful) }
            } else if isRepeated || ccids.count != 1 {
                // What came by itself behind the question stands in the answer to it.
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

        /// Whether the server told of a change when it was made, since the channel was open by then.
        private func isNews(_ ccids: [String], _ made: [String: Instant]) -> Bool {
            guard let openedAt else { return false }
            return ccids.contains { made[$0].map { $0 > openedAt } ?? false }
        }

        private mutating func answer(
            _ command: RecordedCommand, _ found: inout [CommandID: CommandID]
        ) {
            guard !questions.isEmpty else { return }
            found[command.id] = questions.removeFirst().command
            // A server answers in order: what came before this is no answer to a later question.
            for index in questions.indices { questions[index].candidates.removeAll() }
        }

        /// What is known of the first question by now stays.
        private mutating func close(
            _ doubtful: inout [Doubt]
        ) {
            guard !questions.isEmpty else { return }
            let question = questions.removeFirst()
            guard let first = question.candidates.first, let ccid = first.ccids.first else {
                return
            }
            doubtful.append(Doubt(answer: first.command, question: question.command, ccid: ccid))
            for index in questions.indices {
                questions[index].candidates.removeAll { $0.command == first.command }
            }
        }
    }
}
