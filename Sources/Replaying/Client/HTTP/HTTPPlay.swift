internal import Notation
internal import OpenRosa
internal import Simperium
public import Wire

/// Plays the HTTP requests of one recorded client, as a pure value.
///
/// Rewrites each request for this run, follows what the answers require, and compares the final one
/// with the recorded one. Several exchanges may be in progress at once, each with an ``HTTPTurn``.
/// Source: OpenRosa/Specification.md#client-policy.
public struct HTTPPlay: Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The exchange is to begin.
        case begin
        /// The time waited for has come.
        case due
        /// The request was answered, or failed.
        case answered(HTTPPlayAnswer)
    }

    /// What to do.
    public enum Command: Hashable, Sendable {
        /// Send this.
        case send(HTTPPlayRequest)
        /// Wait until a time.
        case wait(until: Instant)
        /// The exchange is through.
        case finish(PlayedExchange)
    }

    /// How it is played.
    public let options: HTTPPlayOptions
    var chains: HTTPPollChains
    var cases: HTTPDeviceCases

    /// A client that has not begun.
    ///
    /// - Parameters:
    ///   - exchanges: All that it may play, in the order of the recording.
    ///   - options: How it is played.
    public init(_ exchanges: some Sequence<RecordedExchange>, options: HTTPPlayOptions) {
        self.options = options
        chains = HTTPPollChains(exchanges)
        cases = HTTPDeviceCases(exchanges)
    }

    /// The turn of an exchange, which has not begun.
    public func turn(_ exchange: RecordedExchange, _ recording: HTTPRecording) -> HTTPTurn {
        HTTPTurn(HTTPPlayPlan(exchange, recording, options))
    }

    /// Processes an event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - turn: The exchange that it happened to.
    ///   - now: When.
    ///   - identity: What things are called in this run.
    /// - Returns: What to do next.
    public mutating func handle(
        _ event: Event, of turn: inout HTTPTurn, now: Instant, _ identity: inout ReplayIdentity
    ) -> Command {
        switch event {
        case .begin:
            turn.result.startedAt = now
            let chain = chains[turn.id]
            if let final = chain.final {
                guard chains.isLast(turn.id), turn.plan.exchange.status != 202 else {
                    return join(&turn, now)
                }
                turn.result.status = final.status
                return conclude(&turn, final, now, &identity)
            }
            if let time = chain.notBefore, time > now {
                return wait(&turn, until: time, now)
            }
            return send(&turn, now, &identity)
        case .due: return send(&turn, now, &identity)
        case .answered(let answer):
            turn.result.requests += 1
            turn.result.latency = max(0, now.nanoseconds - turn.sentAt.nanoseconds)
            return answered(&turn, answer, now, &identity)
        }
    }

    // MARK: Sending

    private mutating func send(
        _ turn: inout HTTPTurn, _ now: Instant, _ identity: inout ReplayIdentity
    ) -> Command {
        let plan = turn.plan
        guard options.origin(plan.exchange.host) != nil else {
            turn.result.outcome = .notSent
            turn.result.differences.add(
                Difference(.target, "host", recorded: plan.exchange.host, live: nil))
            turn.result.notes.append("no server for this host: add --to HOST=URL")
            return finish(&turn, now)
        }
        turn.sentAt = now
        if let request = turn.request { return .send(request) }
        var request: HTTPPlayRequest
        if identity.isVerbatim {
            request = plan.verbatim()
        } else {
            request = plan.request(&identity, &cases, isFull: turn.step == .recovering)
            submit(&turn, request.body)
            if turn.isChallenged { request.login = turn.login(options) ?? request.login }
            if request.login != nil {
                request.fields.removeAll { $0.name.lowercased() == "authorization" }
            }
        }
        turn.request = request
        return .send(request)
    }

    /// Adds the submitted form to the device.
    private mutating func submit(_ turn: inout HTTPTurn, _ body: [UInt8]) {
        let plan = turn.plan
        guard !turn.isApplied,
            let token = plan.recording.request.value("x-commcarehq-lastsynctoken"),
            cases.isWanted(token, host: plan.exchange.host)
        else { return }
        turn.isApplied = true
        let forms = zip(plan.forms(in: plan.recording.request.body), plan.forms(in: body))
        for (recorded, live) in forms {
            cases.submit(
                recorded, live, token: token, host: plan.exchange.host,
                isRefused: plan.exchange.status == 422)
        }
    }

    // MARK: Answers

    private mutating func answered(
        _ turn: inout HTTPTurn, _ answer: HTTPPlayAnswer, _ now: Instant,
        _ identity: inout ReplayIdentity
    ) -> Command {
        turn.result.status = answer.status
        guard let status = answer.status else { return unanswered(&turn, answer, now) }
        let recorded = turn.plan.exchange.status
        if status == 401, turn.challenge(answer, options) {
            return send(&turn, now, &identity)
        }
        if turn.step == .recovering {
            return recovered(&turn, answer, status, now, &identity)
        }
        let isPoll = turn.plan.exchange.method == "GET"
        if status == 202, isPoll {
            guard recorded == 202, chains.contains(turn.id) else {
                return poll(&turn, answer, now) ?? conclude(&turn, answer, now, &identity)
            }
            // The recording contains the polling requests; the server's progress differs each time.
            chains[turn.id].notBefore = now.advanced(by: pollPause(answer, usual: 1))
            turn.comparePause(answer)
            return finish(&turn, now)
        }
        if status == recorded { return conclude(&turn, answer, now, &identity) }
        if status == 429 || status == 503,
            let command = pause(&turn, answer, status, now, &identity)
        {
            return command
        }
        if status == 412, turn.plan.since != nil, !turn.hasRecovered, !identity.isVerbatim {
            turn.step = .recovering
            turn.hasRecovered = true
            turn.refusal = answer
            turn.request = nil
            turn.bridge("the server answered 412: restored in full, then sent again")
            return send(&turn, now, &identity)
        }
        if recorded == 202, isPoll, chains.contains(turn.id) {
            chains[turn.id].final = answer
            turn.bridge("the server answered \(status) where the recording polls")
            return join(&turn, now)
        }
        return conclude(&turn, answer, now, &identity)
    }

    private mutating func recovered(
        _ turn: inout HTTPTurn, _ answer: HTTPPlayAnswer, _ status: Int, _ now: Instant,
        _ identity: inout ReplayIdentity
    ) -> Command {
        if status == 202, let command = poll(&turn, answer, now) { return command }
        if status == 429 || status == 503,
            let command = pause(&turn, answer, status, now, &identity)
        {
            return command
        }
        turn.step = .asking
        turn.request = nil
        let events = status == 200 ? restoreEvents(answer.message, all: true) : []
        guard let since = turn.plan.since, let token = HTTPDeviceCases.token(of: events) else {
            turn.note("the full restore had no sync token: \(status)")
            return conclude(&turn, turn.refusal ?? answer, now, &identity)
        }
        identity.bind(.syncToken, recorded: since, live: token)
        cases.recover(events, token: since, host: turn.plan.exchange.host)
        return send(&turn, now, &identity)
    }

    private func unanswered(
        _ turn: inout HTTPTurn, _ answer: HTTPPlayAnswer, _ now: Instant
    ) -> Command {
        // A recorded server that did not answer either is equal.
        guard turn.plan.exchange.status != nil || answer.isUnreachable else {
            return finish(&turn, now)
        }
        turn.result.outcome = answer.isUnreachable ? .unreachable : .unanswered
        turn.result.differences.add(
            Difference(
                .status, recorded: turn.plan.exchange.status.map { String($0) } ?? "no response",
                live: OneLine.text("no response (\(answer.problem ?? "unknown"))")))
        return finish(&turn, now)
    }

    // MARK: Waiting

    private func wait(
        _ turn: inout HTTPTurn, until time: Instant, _ now: Instant
    ) -> Command {
        turn.result.waited += max(0, time.nanoseconds - now.nanoseconds)
        return .wait(until: time)
    }

    /// Waits before the next poll; nil where there were enough of them.
    private func poll(
        _ turn: inout HTTPTurn, _ answer: HTTPPlayAnswer, _ now: Instant
    ) -> Command? {
        let pause = pollPause(answer)
        guard turn.polls < options.maxPolls, turn.result.waited + pause <= options.longestWait
        else {
            turn.note("stopped after \(turn.polls + 1) answers with 202 (in progress)")
            return nil
        }
        turn.polls += 1
        if turn.polls == 1 {
            turn.bridge(
                "the server answered 202: polled until the restore was "
                    + "ready")
        }
        return wait(&turn, until: now.advanced(by: pause), now)
    }

    /// Nanoseconds until the next poll.
    private func pollPause(_ answer: HTTPPlayAnswer, usual: Int64 = 5) -> Int64 {
        min(max(Self.retryAfter(answer) ?? usual, 1), 1_000_000) * 1_000_000_000
    }

    /// Waits before a request is sent again; nil where that was done often enough.
    private func pause(
        _ turn: inout HTTPTurn, _ answer: HTTPPlayAnswer, _ status: Int, _ now: Instant,
        _ identity: inout ReplayIdentity
    ) -> Command? {
        let growing = Int64(1_000_000_000) << Int64(min(turn.tries, 10))
        let jitter = growing / 1000 * Int64(identity.next() % 200)
        let asked = Self.retryAfter(answer).map { min($0, 1_000_000) * 1_000_000_000 }
        let pause = asked ?? growing + jitter
        guard turn.tries < options.maxTries, turn.result.waited + pause <= options.longestWait
        else {
            turn.note("stopped after \(turn.tries + 1) answers of \(status)")
            return nil
        }
        turn.tries += 1
        let seconds = (pause + 500_000_000) / 1_000_000_000
        turn.bridge("the server answered \(status): sent again after \(seconds) s")
        return wait(&turn, until: now.advanced(by: pause), now)
    }

    /// Seconds of `Retry-After`, at least 0.
    static func retryAfter(_ answer: HTTPPlayAnswer) -> Int64? {
        retryAfter(answer.message, at: answer.at)
    }

    /// Seconds of `Retry-After`, at least 0; `at` is when it came, in seconds since 1970, where that
    /// is known.
    static func retryAfter(_ message: ReplayMessage, at: Int64?) -> Int64? {
        switch message.value("retry-after").flatMap(RetryAfter.parse) {
        case .seconds(let seconds): return Int64(seconds)
        case .date(let date):
            // The server's date refers to its own clock.
            let now = message.value("date").flatMap(HTTPDate.parse)?.unixSeconds ?? at
            return now.map { max(0, date.unixSeconds - $0) }
        case nil: return nil
        }
    }

    // MARK: Ending

    /// Ends an exchange whose answer counts for the end of the poll.
    private func join(_ turn: inout HTTPTurn, _ now: Instant) -> Command {
        turn.result.outcome = .joined
        return finish(&turn, now)
    }

    private mutating func conclude(
        _ turn: inout HTTPTurn, _ answer: HTTPPlayAnswer, _ now: Instant,
        _ identity: inout ReplayIdentity
    ) -> Command {
        turn.result.status = answer.status
        if !identity.isVerbatim { learn(turn.plan, answer, &identity) }
        if chains.isLast(turn.id) { chains.end(turn.id) }
        turn.result.differences = turn.plan.compare(answer, identity)
        if answer.status == turn.plan.exchange.status { turn.comparePause(answer) }
        return finish(&turn, now)
    }

    private func finish(_ turn: inout HTTPTurn, _ now: Instant) -> Command {
        turn.result.endedAt = now
        return .finish(turn.result)
    }
}

extension Instant {
    /// The time this many nanoseconds later.
    func advanced(by nanoseconds: Int64) -> Instant {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
