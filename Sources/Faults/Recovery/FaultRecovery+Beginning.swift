import Dissection
import Simperium
import Wire

/// What each fault waits for.
extension FaultRecovery {
    /// Begins a case: what it was done to decides with the action.
    mutating func begin(_ index: Int) {
        let fault = cases[index].fault
        let purpose = cases[index].action?.kind.specification.purpose
        if purpose == .edit || fault.isOfControlFrame {
            // What a rule edits or answers of its own is no mistake of the server.
            cases[index].isJudged = false
            return
        }
        let client = directory.client(of: fault.row.connection)
        cases[index].client = client
        let isAboutMessage = fault.message != nil
        if let exchange = fault.exchange, !isAboutMessage, hits[exchange] == nil {
            // Done to the connection before anything was sent, or reported by another clock.
            early[exchange, default: []].append(index)
        }
        if cases[index].declared.isByReconnection {
            beginConnection(index, client)
        } else if let exchange = fault.exchange, !isAboutMessage, hits[exchange] == nil {
            return
        } else if !isAboutMessage, let hit = fault.exchange.flatMap({ hits[$0] }) {
            beginExchange(index, hit)
        } else if isAboutMessage || SimperiumCommand.looksLikeSimperium(fault.came) {
            let sender = fault.row.sender ?? .server
            let command = SimperiumCommand.parse(fault.came, from: sender)
            let context = CommandContext(
                command: command, client: client,
                bucket: bucket(of: command, on: fault.row.connection))
            beginCommand(index, context)
        } else {
            count(index, .reconnection(client))
            wait(index, for: .anyAnswer(client))
            wait(index, for: .anyCommand(client))
            wait(index, for: .reconnection(client))
        }
    }

    private mutating func beginConnection(_ index: Int, _ client: ClientName) {
        let fault = cases[index].fault
        switch cases[index].action?.kind {
        case .stall: cases[index].patience = .silence
        case .blackout:
            cases[index].patience = .duration(cases[index].action?.duration("for") ?? 0)
        default: cases[index].patience = .pause
        }
        let hit = fault.message == nil ? fault.exchange.flatMap { hits[$0] } : nil
        let client = hit?.client ?? client
        wait(index, for: .reconnection(client))
        if cases[index].declared.maySurvive {
            // What was held is forwarded when it is over.
            cases[index].ownCounts = true
            if let hit, isGood(hit) { return conclude(index, Self.survived(hit)) }
            wait(index, for: .survival(client))
        }
        if let hit {
            count(index, .request(client, hit.name))
            wait(index, for: .request(client, hit.name))
        } else {
            count(index, .reconnection(client))
        }
    }

    // MARK: Exchanges

    /// Whether a 422 has the nature that a form is never to be sent again after, as without a body of
    /// the rule.
    private func refusesForGood(_ index: Int) -> Bool {
        cases[index].action?.text("body").map { $0.contains("\"processing_failure\"") } ?? true
    }

    /// Statuses that a form gets for what it is, so that a client does not send it again by itself.
    private static let wrong: Set<Int64> = [400, 405, 413, 414, 415]

    mutating func beginExchange(_ index: Int, _ hit: Hit) {
        let again = RecoveryEvent.request(hit.client, hit.name)
        cases[index].client = hit.client
        cases[index].patience = patience(cases[index].action, hit.row)
        switch cases[index].declared.exchange {
        case .answer where cases[index].answersWithSuccess && hit.row.takesAnySuccess:
            cases[index].isJudged = false
        case .answer:
            cases[index].retryAfter = hit.row.retryAfter
            let code = cases[index].action?.integer("code") ?? hit.row.status.map(Int64.init)
            if code == 422, refusesForGood(index), let instance = hit.name.instance {
                count(index, .form(hit.client, instance))
                wait(index, for: .form(hit.client, instance))
                wait(index, for: .anyRequest(hit.client))
            } else {
                count(index, again)
                wait(index, for: again)
                // A wrong form stays wrong: it is kept, and the others are sent.
                if let code, hit.name.instance != nil, Self.wrong.contains(code) {
                    wait(index, for: .anyRequest(hit.client))
                }
            }
        case .requestOrAnother:
            count(index, again)
            wait(index, for: again)
            // A form is to be sent until its acceptance arrives.
            if hit.name.instance == nil { wait(index, for: .anyAnswer(hit.client)) }
        case .exchangeItself:
            count(index, again)
            if isGood(hit) {
                let evidence = Self.survived(hit)
                guard cases[index].action?.kind == .answerTwice, let instance = hit.name.instance
                else { return conclude(index, evidence) }
                // The second answer is to be ignored, and is no reason to send the form again.
                wait(index, for: .form(hit.client, instance))
                conclude(index, evidence.tentatively)
            } else {
                wait(index, for: again)
            }
        case .anything:
            wait(index, for: .anyAnswer(hit.client))
            wait(index, for: .anyCommand(hit.client))
        case .request:
            count(index, again)
            wait(index, for: again)
        }
        if cases[index].action?.flag("close") == true {
            wait(index, for: .reconnection(hit.client))
        }
    }

    private func isGood(_ hit: Hit) -> Bool {
        hit.row.isGood && !spoiledExchanges.contains(hit.row.id)
    }

    private static func survived(_ hit: Hit) -> Evidence {
        Evidence(
            at: hit.row.at, how: "exchange \(hit.row.id) completed nevertheless",
            exchange: hit.row.id)
    }

    /// Why a client may wait after a fault to an exchange.
    private func patience(
        _ action: FaultAction?, _ row: ExchangeRowFacts
    ) -> RecoveryPatience {
        switch action?.kind {
        case .status: .answer(status: row.status, retryAfter: row.retryAfter)
        case .truncate: .pause
        case .loseAnswer: action?.text("how") == "stall" ? .silence : .pause
        case .drop: action?.flag("close") == true ? .pause : .silence
        case .latency: .duration(delay(action))
        default: .none
        }
    }

    /// The longest time by which `latency` delays, in nanoseconds.
    private func delay(_ action: FaultAction?) -> Int64 {
        let (sum, isFar) = (action?.duration("by") ?? 0)
            .addingReportingOverflow(action?.duration("jitter") ?? 0)
        return isFar ? .max : sum
    }

    // MARK: Commands

    struct CommandContext {
        var command: SimperiumCommand
        var client: ClientName
        var bucket: String

        var changes: [SimperiumChange<Range<Int>>] {
            if case .changes(let changes) = command.body { changes } else { [] }
        }

        var index: RecoveryEvent { .index(client, bucket: bucket) }
        var authorisation: RecoveryEvent { .authorisation(client, bucket: bucket) }
        var asked: RecoveryEvent { .asked(client, bucket: bucket) }
        var news: RecoveryEvent { .changes(client, bucket: bucket) }
    }

    private func bucket(of command: SimperiumCommand, on connection: ConnectionID?) -> String {
        if case .initialize(let request) = command.body, let bucket = request.bucket {
            return bucket
        }
        guard let connection, let channel = command.channel else { return "" }
        return directory[connection]?.buckets[channel] ?? ""
    }

    private mutating func beginCommand(_ index: Int, _ context: CommandContext) {
        let goesOn = RecoveryEvent.anyCommand(context.client)
        switch cases[index].action?.kind {
        case .latency: cases[index].patience = .duration(delay(cases[index].action))
        case .reorder: cases[index].patience = .duration(WebSocketGate.patience)
        default: break
        }
        switch cases[index].declared.command {
        case .refusedChange: refused(index, context)
        case .index: wait(index, for: context.index, counting: true)
        case .missingEntity:
            if let key = context.command.key {
                wait(
                    index,
                    for: .entityRequest(context.client, bucket: context.bucket, key: key),
                    counting: true)
            }
            wait(index, for: goesOn)
        case .authorisation:
            wait(index, for: context.authorisation, counting: true)
        case .indexOrChanges:
            wait(index, for: context.index, counting: true)
            // With the next changes it has the right one.
            wait(index, for: context.news)
        case .heartbeat: heartbeat(index, context)
        case .anyCommand: wait(index, for: goesOn)
        case .purpose:
            // What arrives late, twice or in another order arrives after all.
            cases[index].ownCounts = cases[index].declared.ownMessageCounts
            if cases[index].action?.flag("close") == true {
                // The client notices; but that it is back does not bring a lost change back.
                cases[index].patience = .pause
                if context.changes.isEmpty { wait(index, for: .reconnection(context.client)) }
            }
            switch context.command.sender {
            case .client: lost(fromClient: context, index)
            case .server: lost(fromServer: context, index)
            }
        }
    }

    mutating func wait(_ index: Int, for sign: RecoveryEvent, counting: Bool) {
        if counting { count(index, sign) }
        wait(index, for: sign)
    }

    private mutating func heartbeat(_ index: Int, _ context: CommandContext) {
        wait(index, for: .heartbeat(context.client), counting: true)
        wait(index, for: .reconnection(context.client))
    }

    /// What the client sent did not arrive as it was sent.
    private mutating func lost(fromClient context: CommandContext, _ index: Int) {
        let client = context.client
        switch context.command.body {
        case .initialize: wait(index, for: context.authorisation, counting: true)
        case .changes(let changes):
            guard let first = changes.first?.ccids.first else {
                return wait(index, for: .anyCommand(client))
            }
            count(index, .changeSent(client, first))
            unanswered(index, changes, context)
        case .indexRequest: wait(index, for: context.index, counting: true)
        case .changesSince:
            wait(index, for: context.asked, counting: true)
            if cases[index].ownCounts {
                wait(index, for: context.news)
                wait(index, for: context.index)
            }
        case .entityRequest(let key, _):
            count(index, .entityRequest(client, bucket: context.bucket, key: key))
            wait(index, for: .object(client, bucket: context.bucket, key: key))
            wait(index, for: context.index)
        case .heartbeat: heartbeat(index, context)
        default: wait(index, for: .anyCommand(client))
        }
    }

    /// What the server sent did not arrive as it was sent.
    private mutating func lost(fromServer context: CommandContext, _ index: Int) {
        let client = context.client
        switch context.command.body {
        case .auth: wait(index, for: context.authorisation, counting: true)
        case .changes(let changes): lost(changes, context, index)
        case .indexPage, .unknownMark: wait(index, for: context.index, counting: true)
        case .unknownChangeVersion:
            wait(index, for: context.asked, counting: true)
            wait(index, for: context.index)
        case .entity(let reply):
            cases[index].version = reply.version
            count(index, context.asked)
            wait(index, for: .object(client, bucket: context.bucket, key: reply.key))
            wait(index, for: context.index)
        case .heartbeat: heartbeat(index, context)
        default: wait(index, for: .anyCommand(client))
        }
    }

    /// Acknowledgements, or what others changed.
    private mutating func lost(
        _ changes: [SimperiumChange<Range<Int>>], _ context: CommandContext, _ index: Int
    ) {
        let client = context.client
        guard let change = changes.last else {
            if cases[index].ownCounts { wait(index, for: context.news) }
            return wait(index, for: context.asked, counting: true)
        }
        wait(index, for: context.index)
        if cases[index].ownCounts, let key = change.key {
            wait(index, for: .misfit(client, bucket: context.bucket, key: key))
        }
        if isOwn(change, of: client), let first = change.ccids.first {
            count(index, .changeSent(client, first))
            unanswered(index, [change], context)
        } else if let key = change.key {
            cases[index].version = change.ev
            count(index, context.asked)
            wait(index, for: .object(client, bucket: context.bucket, key: key))
        } else {
            wait(index, for: context.asked, counting: true)
        }
    }

    /// Waits for the answers to changes of the client.
    private mutating func unanswered(
        _ index: Int, _ changes: [SimperiumChange<Range<Int>>], _ context: CommandContext
    ) {
        if cases[index].patience == .none { cases[index].patience = .answerToChange }
        cases[index].ccids = changes.flatMap(\.ccids)
        for ccid in cases[index].ccids { wait(index, for: .ccid(context.client, ccid)) }
        guard !cases[index].ownCounts, let change = changes.first, let key = change.key else {
            return
        }
        cases[index].unanswered = SoughtEdit(change, in: cases[index].fault.came)
        wait(index, for: .edited(context.client, bucket: context.bucket, key: key))
    }

    private func isOwn(_ change: SimperiumChange<Range<Int>>, of client: ClientName) -> Bool {
        guard case .id(let id) = client else { return change.error != nil }
        return change.clientID == id || change.error != nil
    }
}
