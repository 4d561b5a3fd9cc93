import Notation
import Wire

extension ClientBucket {
    mutating func open() {
        forgetConnection()
        isReasonDue = false
        begin()
    }

    mutating func close() {
        forgetConnection()
        enter(.closed)
    }

    mutating func take(_ token: String) {
        guard token != refusedToken else {
            return log("the server has refused this token before; another one is needed")
        }
        self.token = token
        if phase == .unauthorized { begin() }
    }

    /// Opens the bucket on the channel.
    private mutating func begin() {
        guard let token, token != refusedToken else {
            enter(.unauthorized)
            commands.append(.needsToken(code: nil))
            return
        }
        var request = InitRequest()
        request.bucket = settings.bucket
        request.app = settings.app
        request.token = token
        request.clientID = settings.clientID
        request.api = "1.1"
        request.library = settings.library
        request.version = settings.libraryVersion
        if settings.requestsInInit {
            if let cv {
                request.command = "cv:\(cv)"
                request.request = .changesSince(cv: cv)
            } else {
                let first = indexRequest(mark: nil)
                request.command = "i:\(first.wantsData ? "1" : ""):::\(settings.pageSize)"
                request.request = .index(first)
            }
        }
        send(.initialize(request))
        offeredToken = token
        enter(.authorizing)
    }

    /// Discards the state of the connection; what was sent and not answered is to be sent again.
    private mutating func forgetConnection() {
        index = nil
        awaitedPages = 0
        stalePages = 0
        fruitlessRuns = 0
        reindexedFor = []
        requests.removeAll()
        awaitedAnswers = 0
        needsAnotherAnswer = false
        logLevel = 0
        emptyingState.isSent = false
        emptyingState.isKnown = false
        emptyingState.retryAt = nil
        caughtUpTo = nil
        catchUpRounds = 0
        for key in unanswered {
            entries[key]?.isInFlight = false
            entries[key]?.retryAt = nil
        }
    }

    mutating func receive(_ message: SimperiumMessage) {
        if case .logLevel(let level) = message.body, message.channel == nil {
            logLevel = level
            log("logging at level \(level)")
            return
        }
        guard message.channel == settings.channel, phase != .closed else { return }
        if case .auth(let reply) = message.body { return authorize(reply) }
        // What arrives on a channel that is not open is ignored.
        guard phase != .authorizing, phase != .unauthorized else { return }
        lastHeard = now
        switch message.body {
        case .indexPage(let page) where !isStalePage(): receive(page)
        case .unknownMark where !isStalePage():
            restartIndex(reason: "the server does not know the mark")
        case .entity(let reply):
            receive(ExactText(reply.key), version: reply.version, data: reply.data)
        case .changes(let changes): receive(changes)
        case .unknownChangeVersion: loseChangeVersion()
        case .indexStateRequest: tellState()
        case .options(let options) where options.exposesNamespace == true:
            log("the server exposes a namespace; keys are used as received")
        case .notUnderstood: log("the server did not understand something")
        default: break
        }
    }

    private mutating func authorize(_ reply: AuthReply) {
        // Servers send old clients that the token has expired and then why: this is one refusal,
        // and at the second another token may have been offered.
        let isReason = isReasonDue
        isReasonDue = reply == .expired
        if isReason, case .refused(_, let message) = reply {
            return log(message ?? "the server refuses the token")
        }
        guard phase != .unauthorized || token != refusedToken else { return }
        switch reply {
        case .accepted where phase == .authorizing: beginSync()
        case .accepted: log("an unexpected auth")
        case .expired: refuse(code: nil, reason: "the token has expired")
        case .refused(let code, let message):
            refuse(code: code, reason: message ?? "the server refuses the token")
        }
    }

    private mutating func beginSync() {
        guard let cv else { return beginIndex(isAsked: settings.requestsInInit) }
        enter(.waiting)
        if settings.requestsInInit { awaitedAnswers += 1 } else { askForChanges(since: cv) }
    }

    /// Sends nothing more until there is another token.
    mutating func refuse(code: Int?, reason: String) {
        forgetConnection()
        refusedToken = offeredToken
        log(reason)
        // Another one may have come meanwhile.
        if let token, token != refusedToken { return begin() }
        enter(.unauthorized)
        commands.append(.needsToken(code: code))
    }

    /// Requests the changes that this client does not have.
    mutating func askForChanges(since cv: String) {
        awaitedAnswers += 1
        askedSince = cv
        detail("asking for changes since \(cv)")
        send(.changesSince(cv: cv))
    }

    private mutating func loseChangeVersion() {
        guard phase == .waiting || phase == .synced else { return }
        log("the change version is no longer known to the server")
        reindex()
    }

    /// Restarts the index, and keeps the known state until it is replaced.
    mutating func reindex() {
        cv = nil
        isHeadUnsaved = true
        awaitedAnswers = 0
        needsAnotherAnswer = false
        caughtUpTo = nil
        for key in unanswered { entries[key]?.isInFlight = false }
        beginIndex(isAsked: false)
    }

    private mutating func tellState() {
        var state = IndexState<JSONValue>(current: cv)
        for (key, entry) in entries.sorted(by: { $0.key.string < $1.key.string }) {
            if let ghost = entry.stored.ghost {
                state.entries.append(.init(key: key.string, version: ghost.version))
            }
            if let sent = entry.stored.sent {
                state.pending.append(
                    .init(key: key.string, sv: sent.change.sv, ccid: sent.change.ccids.first))
            }
        }
        state.extra = .object(
            JSONObject([
                .init("bucketName", .string(settings.bucket)),
                .init("client", .string(settings.library)),
                .init("version", .string(settings.libraryVersion)),
                .init("queued", .number(String(queue.count))),
            ]))
        send(.indexState(state))
    }
}
