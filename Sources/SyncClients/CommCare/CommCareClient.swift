internal import OpenRosa

/// What a CommCare client does next, as a pure value.
///
/// Sends the queue in its order and then restores, according to the code table. Time and randomness
/// are inputs; every `store` and `pause` is on disk before the next command is carried out. Source:
/// OpenRosa/Specification.md#client-policy.
public struct CommCareClient: Hashable, Sendable {
    /// What is to be done.
    public enum Work: Hashable, Sendable {
        /// Send the queue.
        case submit
        /// Send the queue and restore.
        case sync
        /// Send the queue, claim a case, and restore where the device does not have it.
        case claim(caseID: String)
    }

    /// A form that waits to be sent.
    public struct Queued: Hashable, Sendable {
        /// Its number in the state.
        public var id: Int64
        /// How often the server answered 422 for a reason that may pass.
        public var attempts: Int

        /// A form that waits.
        public init(id: Int64, attempts: Int = 0) {
            self.id = id
            self.attempts = attempts
        }
    }

    /// What happens to a form.
    public enum FormState: Int64, Hashable, Sendable, CaseIterable {
        /// It waits.
        case queued = 0
        /// The server has it.
        case sent = 1
        /// It is kept, and sent again only when the user submits it again.
        case held = 2
        /// It is put aside and never sent again.
        case aside = 3
    }

    /// A kind of request, which is paused separately.
    public enum Kind: Int64, Hashable, Sendable, CaseIterable {
        /// Submissions.
        case submission = 0
        /// Restores.
        case restore = 1
    }

    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The client is to begin.
        case start
        /// The current request was answered, or failed.
        case answered(CommCareAnswer)
        /// New credentials are there, or there are none.
        case credentials(areNew: Bool)
        /// The time waited for has come.
        case due
        /// The restore was read to its end and swapped in; a problem where it was not.
        case restored(problem: String?)
    }

    /// What to do, in order.
    public enum Command: Hashable, Sendable {
        /// Send a form.
        case submit(Int64)
        /// Request a restore.
        case restore(isFull: Bool)
        /// Claim a case.
        case claim(caseID: String)
        /// Wait until a time, in seconds since 1970.
        case wait(until: Int64)
        /// Show how far the restore is.
        case progress(done: String?, total: String?)
        /// Read the restore that was downloaded to its end, and swap it in.
        case swapIn(isFull: Bool)
        /// Store the outcome of a form.
        case store(Int64, FormState, attempts: Int, message: String)
        /// Store a pause.
        case pause(Kind, CommCarePause)
        /// Request new credentials.
        case askCredentials
        /// Show a message to the user.
        case show(String)
        /// End.
        case finish(CommCareOutcome)
    }

    /// The maximum number of polls of one restore.
    public static let maxPolls = 240
    /// The longest pause, in seconds, that is waited for while the client runs.
    public static let longestWait: Int64 = 3_600
    /// The maximum number of temporary 422 answers of one form before it is held.
    public static let maxAttempts = 5

    private enum Step: Hashable {
        case idle
        case sending(Queued)
        case claiming(caseID: String)
        case restoring, ended
    }

    private let work: Work
    private let isUser: Bool
    private var queue: [Queued]
    private var pauses: [Kind: CommCarePause]
    private var isFull: Bool
    private var step = Step.idle
    private var polls = 0
    /// The message of the last 202 that was shown.
    private var pendingMessage: String?
    private var hasAsked = false
    /// Whether the claim is done with, and what remains is to look at what it did.
    private var hasClaimed = false
    private var refusal: String?

    /// A client that begins.
    ///
    /// - Parameters:
    ///   - work: What is to be done.
    ///   - isUser: Whether a user started it, so that only cool-downs delay it.
    ///   - queue: What waits, in order.
    ///   - pauses: The stored pauses.
    ///   - hasToken: Whether there is a sync token.
    public init(
        _ work: Work, isUser: Bool = true, queue: [Queued], pauses: [Kind: CommCarePause] = [:],
        hasToken: Bool
    ) {
        self.work = work
        self.isUser = isUser
        self.queue = queue
        self.pauses = pauses
        isFull = !hasToken
    }

    /// Processes an event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - now: Seconds since 1970.
    ///   - jitter: A random number, 0...1.
    /// - Returns: What to do; nothing where the event does not belong here.
    public mutating func handle(_ event: Event, now: Int64, jitter: Double = 0) -> [Command] {
        switch (event, step) {
        case (.start, .idle): return next(now)
        case (.answered(let answer), .sending(let form)):
            return submitted(form, answer, now, jitter)
        case (.answered(let answer), .claiming): return claimed(answer, now, jitter)
        case (.answered(let answer), .restoring): return fetched(answer, now, jitter)
        case (.due, .restoring): return [.restore(isFull: isFull)]
        case (.credentials(let areNew), .sending(let form)):
            return areNew ? [.submit(form.id)] : end(.refused(Self.signIn))
        case (.credentials(let areNew), .claiming(let caseID)):
            return areNew ? [.claim(caseID: caseID)] : end(.refused(Self.signIn))
        case (.credentials(let areNew), .restoring):
            return areNew ? [.restore(isFull: isFull)] : end(.refused(Self.signIn))
        case (.restored(let problem), .restoring):
            if let problem {
                return end(.later("the restore cannot be used: \(problem); nothing was changed"))
            }
            return clear(.restore) + end(refusal.map { .refused($0) } ?? .done)
        default: return []
        }
    }

    private static let signIn = "the server does not accept this user and password"

    private mutating func next(_ now: Int64) -> [Command] {
        if let form = queue.first {
            if let wait = wait(.submission, now) { return end(wait) }
            step = .sending(form)
            return [.submit(form.id)]
        }
        guard work != .submit else { return end(refusal.map { .refused($0) } ?? .done) }
        if let wait = wait(.restore, now) { return end(wait) }
        if case .claim(let caseID) = work, !hasClaimed {
            step = .claiming(caseID: caseID)
            return [.claim(caseID: caseID)]
        }
        step = .restoring
        return [.restore(isFull: isFull)]
    }

    private func wait(_ kind: Kind, _ now: Int64) -> CommCareOutcome? {
        let pause = pauses[kind] ?? CommCarePause()
        let until = isUser ? pause.userUntil : max(pause.userUntil, pause.automaticUntil)
        guard now < until else { return nil }
        guard until < CommCarePause.untilUserActs else {
            return .refused(
                "the server requires an action of the user; then run without "
                    + "--automatic")
        }
        return .later("the server requires a pause: try again in \(until - now) s")
    }

    private mutating func end(_ outcome: CommCareOutcome) -> [Command] {
        step = .ended
        return [.finish(outcome)]
    }

    private mutating func clear(_ kind: Kind) -> [Command] {
        guard pauses[kind, default: CommCarePause()] != CommCarePause() else { return [] }
        pauses[kind] = CommCarePause()
        return [.pause(kind, CommCarePause())]
    }

    private mutating func fail(
        _ kind: Kind, _ answer: CommCareAnswer, _ now: Int64, _ jitter: Double
    ) -> [Command] {
        var pause = pauses[kind] ?? CommCarePause()
        let coolsDown = answer.status == 429 || answer.status == 503
        pause.fail(
            now: now, jitter: jitter, retryAfter: answer.retryAfter, coolsDown: coolsDown)
        pauses[kind] = pause
        var what = Self.said(answer)
        if kind == .submission { what += "; the form is kept, and sync sends it" }
        return [.pause(kind, pause)] + end(answer.isUnreachable ? .unreachable(what) : .later(what))
    }

    private static func said(_ answer: CommCareAnswer) -> String {
        if answer.status == 0 || answer.status == 406 { return answer.text }
        if let target = answer.redirect {
            return "the server answered \(answer.status) and redirects to \(target): set the "
                + "server's address with --to"
        }
        let text = answer.text.isEmpty ? "" : ": \(answer.text)"
        return "the server answered \(answer.status)\(text)"
    }

    private mutating func leave(
        _ form: Queued, _ state: FormState, _ message: String, _ now: Int64
    ) -> [Command] {
        queue.removeFirst()
        var commands: [Command] = [
            .store(form.id, state, attempts: form.attempts, message: message)
        ]
        if state != .sent {
            refusal = message
            commands.append(.show(message))
        }
        hasAsked = false
        return commands + clear(.submission) + next(now)
    }

    private mutating func submitted(
        _ form: Queued, _ answer: CommCareAnswer, _ now: Int64, _ jitter: Double
    ) -> [Command] {
        let said = Self.said(answer)
        let advice = CodeTable.advice(
            status: answer.status, api: .commcareSubmit, nature: answer.nature)
        switch advice?.action {
        case .done where answer.isResponse && answer.nature != "submit_error":
            return leave(form, .sent, answer.text, now)
        case .keep where answer.isResponse && answer.nature == "submit_error",
            .done where answer.isResponse:
            return leave(form, .held, said, now)
        case .hold: return leave(form, .held, said, now)
        case .quarantine: return leave(form, .aside, said, now)
        case .backOff:
            guard answer.status == 422 else { return fail(.submission, answer, now, jitter) }
            var tried = form
            tried.attempts += 1
            if tried.attempts >= Self.maxAttempts { return leave(tried, .held, said, now) }
            return [.store(form.id, .queued, attempts: tried.attempts, message: said)]
                + fail(.submission, answer, now, jitter)
        case .coolDown: return fail(.submission, answer, now, jitter)
        case .authenticate: return authenticate()
        case .tellUser: return tell(.submission, answer)
        case .done, .keep:
            if answer.redirect != nil { return end(.later(said + "; the form is kept")) }
            return end(
                .later(
                    "\(answer.status) without an OpenRosaResponse is not a receipt: is there a "
                        + "gateway before the server? The form is kept"))
        default: return fail(.submission, answer, now, jitter)
        }
    }

    private mutating func authenticate() -> [Command] {
        if hasAsked { return end(.refused(Self.signIn)) }
        hasAsked = true
        return [.askCredentials]
    }

    /// Ends with what only the user can mend; a timer does not try again after a 406.
    private mutating func tell(_ kind: Kind, _ answer: CommCareAnswer) -> [Command] {
        let refusal = end(.refused(Self.said(answer)))
        guard answer.status == 406 else { return refusal }
        let pause = CommCarePause(automaticUntil: CommCarePause.untilUserActs)
        pauses[kind] = pause
        return [.pause(kind, pause)] + refusal
    }

    private mutating func claimed(
        _ answer: CommCareAnswer, _ now: Int64, _ jitter: Double
    ) -> [Command] {
        let advice = CodeTable.advice(
            status: answer.status, api: .commcareClaim, nature: answer.nature)
        switch advice?.action {
        // Without an answer it is unknown whether the case was claimed. A retry may claim it twice;
        // a restore shows what the server did.
        case _ where answer.status == 0 && !answer.isUnreachable, .sync:
            hasClaimed = true
            hasAsked = false
            return next(now)
        case .done: return clear(.restore) + end(refusal.map { .refused($0) } ?? .done)
        case .authenticate: return authenticate()
        case .coolDown, .backOff: return fail(.restore, answer, now, jitter)
        default: return tell(.restore, answer)
        }
    }

    private mutating func fetched(
        _ answer: CommCareAnswer, _ now: Int64, _ jitter: Double
    ) -> [Command] {
        switch CodeTable.advice(
            status: answer.status, api: .commcareRestore, nature: answer.nature)?.action
        {
        case .done: return [.swapIn(isFull: isFull)]
        case .poll: return poll(answer, now)
        case .recover:
            if isFull {
                return end(.refused("the server refuses a full restore too; nothing was changed"))
            }
            isFull = true
            polls = 0
            return [
                .show("the server cannot continue from the last sync: requesting a full restore"),
                .restore(isFull: true),
            ]
        case .authenticate: return authenticate()
        case .coolDown, .backOff: return fail(.restore, answer, now, jitter)
        case .tellUser where answer.status >= 500: return fail(.restore, answer, now, jitter)
        default: return tell(.restore, answer)
        }
    }

    /// Waits until the restore that the server prepares is to be requested again, and for more than
    /// an hour ends until then.
    private mutating func poll(_ answer: CommCareAnswer, _ now: Int64) -> [Command] {
        polls += 1
        var commands: [Command] = []
        // Once, and not with each poll.
        if answer.isResponse, !answer.text.isEmpty, answer.text != pendingMessage {
            pendingMessage = answer.text
            commands.append(.show(answer.text))
        }
        if polls >= Self.maxPolls {
            return commands + end(.later("the server still prepares the data: try again later"))
        }
        if let progress = answer.progress {
            commands.append(.progress(done: progress.done, total: progress.total))
        }
        let pause = min(max(answer.retryAfter ?? 5, 1), CommCarePause.longest)
        guard pause > Self.longestWait else { return commands + [.wait(until: now + pause)] }
        let stored = CommCarePause(userUntil: now + pause, automaticUntil: now + pause)
        pauses[.restore] = stored
        return commands + [.pause(.restore, stored)]
            + end(.later("the server still prepares the data: try again in \(pause) s"))
    }
}
