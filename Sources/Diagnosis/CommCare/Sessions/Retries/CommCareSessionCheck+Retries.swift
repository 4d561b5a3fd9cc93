import Dissection
import OpenRosa
import Wire

/// The behaviour of a client after a refusal: Diagnosis/Catalogue.md#c28, #c29, #c30, #c31, #c35,
/// #c73, #o-r1, #o-r2.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Nanoseconds within which no person tries again.
    static let instantly = CommCareTime.seconds(1.0)
    /// The number of refusals in a row after which a person does not go on like that.
    static let series = 4
    /// Nanoseconds within which a retry counts as immediate.
    static let atOnce = CommCareTime.seconds(2.0)
    /// Nanoseconds within which the next try belongs to the same series.
    static let inARow = CommCareTime.seconds(10.0)
    /// Nanoseconds from which pauses need not grow any more.
    static let longPause = CommCareTime.seconds(1_800.0)
    /// The maximum number of tries of one request: one and fifteen retries.
    static let maxTries = 16

    func checkRetries(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        checkLane(ask, &person, session, &report)
        checkSame(ask, &person, session, &report)
    }

    // MARK: 429 and 503

    private func checkLane(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let lane = person.lanes[ask.api.group], ask.api.group != .other,
            ask.row.startedAt >= lane.last.row.endedAt ?? lane.last.at
        else { return }
        let gap = CommCareTime.gap(lane.last.at, ask.row.startedAt)
        let before = lane.gap
        person.lanes[ask.api.group]?.gap = gap
        let asked = lane.last.retryAfter.map { CommCareTime.seconds($0) }
        let isKept = asked.map { gap >= $0 - Self.tolerance } ?? false
        let found: (Rule, String)?
        let pause = lane.last.retryAfter.map { "Retry-After: \($0)" } ?? "no Retry-After"
        let code = lane.last.status
        if isKept {
            found = nil
        } else if gap < Self.atOnce {
            found = (R.retriedAtOnce, "\(CommCareTime.text(gap)) after \(code)")
        } else if asked != nil {
            found = (R.beforeRetryAfter, "\(CommCareTime.text(gap)) after \(code)")
        } else if gap < Self.soon {
            found = (R.coolDown, "\(CommCareTime.text(gap)) after \(code)")
        } else if let before, gap < Self.longPause, Self.isFlat(before, gap),
            isSameRun(lane.last.row, ask.row, gap, session)
        {
            found = (
                R.notGrowing,
                "\(CommCareTime.text(before)), then \(CommCareTime.text(gap)) after \(code)"
            )
        } else {
            found = nil
        }
        guard let (rule, when) = found else { return }
        let what =
            ask.api.group == .submission ? "A form is sent" : "\(ask.api.rawValue) is requested"
        let steps =
            rule == R.notGrowing
            ? lane.steps + [ask.step("after \(CommCareTime.text(gap))")]
            : [
                lane.last.step("stop", quote: "\(code), \(pause)"),
                ask.step("after \(CommCareTime.text(gap))"),
            ]
        report.add(
            Finding(
                rule, connection: ask.row.connection, client: ask.client, topic: ask.topic,
                detail: "\(what) again \(when) (\(pause)).", steps: steps))
    }

    /// Whether the second pause is not longer by half; a fifth is tolerated for jitter.
    static func isFlat(_ first: Int64, _ second: Int64) -> Bool {
        Double(second) < Double(first) * 1.5 * 0.8
    }

    // MARK: The same request again

    private func checkSame(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let failure = person.failures[ask.api] else { return }
        let ended = failure.reply.row.endedAt ?? failure.reply.at
        guard Self.isSame(failure.ask, ask), ask.row.startedAt >= ended else { return }
        let gap = CommCareTime.gap(failure.reply.at, ask.row.startedAt)
        let isSame = isSameRun(failure.ask.row, ask.row, gap, session)
        let status = failure.reply.status
        let found: Rule?
        switch status {
        case 406: found = isSame && isAutomatic(failure, gap) ? R.after406 : nil
        case 401: found = isSame && isInsisting(failure, gap) ? R.sameCredentials : nil
        case 400, 403, 404, 405, 410, 413, 414, 415, 422:
            found = isSame && isAutomatic(failure, gap) ? R.after4xx : nil
        default:
            found = gap < Self.inARow && failure.times == Self.maxTries ? R.tooManyTries : nil
        }
        guard let found, !ask.isTouched else { return }
        let times = failure.times == 1 ? "" : ", try \(failure.times + 1)"
        let answer = status == 0 ? "no answer" : "\(status)"
        report.add(
            Finding(
                found, connection: ask.row.connection, client: ask.client,
                topic: ask.form?.instanceID ?? ask.topic,
                detail: "The same \(ask.row.method) \(ask.row.path) is sent again "
                    + "\(CommCareTime.text(gap)) after \(answer)\(times).",
                steps: failure.steps + [ask.step("the same again")]))
    }

    /// Whether no person has asked for a request after a refusal: it comes at once, or in a series.
    private func isAutomatic(
        _ failure: CommCarePerson.Failure, _ gap: Int64, within time: Int64 = Self.atOnce
    ) -> Bool {
        gap < time || gap < Self.inARow && failure.times >= Self.series
    }

    /// The same after 401, to which a client may answer with credentials.
    private func isInsisting(_ failure: CommCarePerson.Failure, _ gap: Int64) -> Bool {
        isAutomatic(failure, gap, within: failure.ask.credentials == nil ? 0 : Self.instantly)
    }

    /// Whether two requests are the same for a server: target, credentials and form.
    private static func isSame(_ a: CommCareAsk, _ b: CommCareAsk) -> Bool {
        a.row.method == b.row.method && a.row.path == b.row.path && a.row.query == b.row.query
            && a.credentials == b.credentials && a.form?.digest == b.form?.digest
            && a.form?.files == b.form?.files
            && (a.form != nil || a.row.requestSize == b.row.requestSize)
    }

    /// The refusal after which nothing came, where what comes then is the duty.
    func openRefusals(_ person: CommCarePerson, _ key: CommCarePersonKey) -> [Finding] {
        var left: [Finding] = []
        for failure in person.failures.values
        where failure.reply.status == 401 && failure.ask.isRestore
            && failure.ask.row.id == person.last
        {
            left.append(
                Finding(
                    R.sameCredentials, connection: failure.ask.row.connection,
                    client: failure.ask.client, topic: failure.ask.form?.instanceID ?? key.topic,
                    detail: "", steps: failure.steps))
        }
        if let aside = person.aside, aside.row.id == person.last {
            left.append(
                Finding(
                    R.queueStopped, connection: aside.row.connection, client: key.device,
                    topic: key.topic, detail: "", steps: [aside.step("puts the form aside")]))
        }
        return left
    }

    func followRetries(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson
    ) {
        let group = ask.api.group
        if reply.status == 429 || reply.status == 503, reply.isHeard {
            if var lane = person.lanes[group] {
                lane.last = reply
                lane.count += 1
                if lane.steps.count < 12 { lane.steps += [ask.step("again"), reply.step("stop")] }
                person.lanes[group] = lane
            } else {
                person.lanes[group] = CommCarePerson.Lane(
                    last: reply, steps: [ask.step("the first"), reply.step("stop")])
            }
        } else {
            person.lanes[group] = nil
        }
        let isFailure =
            switch reply.status {
            case 412, 429, 503, 423, 408, 409, 425: false
            // Another rule is about a form that can never be processed.
            case 422: reply.isHeard && reply.nature != OpenRosaNature.processingFailure.rawValue
            case 400...: reply.isHeard
            case 0: reply.row.outcome == .noResponse
            default: false
            }
        guard isFailure else {
            person.failures[ask.api] = nil
            return
        }
        if let failure = person.failures[ask.api], Self.isSame(failure.ask, ask),
            failure.reply.status == reply.status || failure.reply.status >= 500
                || reply.status == 0,
            CommCareTime.gap(failure.reply.at, ask.row.startedAt) < Self.inARow
        {
            person.failures[ask.api] = CommCarePerson.Failure(
                ask: ask, reply: reply, times: failure.times + 1,
                steps: failure.steps.count < 12
                    ? failure.steps + [ask.step("again"), reply.step("failed")] : failure.steps)
        } else {
            person.failures[ask.api] = CommCarePerson.Failure(
                ask: ask, reply: reply, steps: [ask.step("the request"), reply.step("failed")])
        }
    }
}
