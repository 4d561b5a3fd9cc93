import Dissection
import OpenRosa
import Wire

/// Restores that are being prepared: Diagnosis/Catalogue.md#c16, #c17, #c21, #c22, #c88.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Nanoseconds of tolerance for early requests.
    static let tolerance = CommCareTime.seconds(0.5)
    /// The maximum number of polls of one restore.
    static let maxPolls = 240
    /// The longest that one restore may be polled for, in nanoseconds.
    static let longestPolling = CommCareTime.seconds(3_600.0)
    /// The number of answers without progress, in a row, that are reported.
    static let standing = 10

    func checkPolling(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let polling = person.polling,
            ask.row.startedAt >= polling.last.row.endedAt ?? polling.last.at
        else { return }
        let gap = CommCareTime.gap(polling.last.at, ask.row.startedAt)
        guard ask.isRestore else {
            if ask.isSubmission, ask.token != nil {
                report.add(
                    Finding(
                        R.formDuringRestore, connection: ask.row.connection, client: ask.client,
                        topic: ask.topic,
                        detail: "A form was submitted \(CommCareTime.text(gap)) after a 202 to the "
                            + "restore of the same user.",
                        steps: [polling.last.step("the restore is pending"), ask.step("a form")]))
            }
            guard !polling.isReported, isLate(gap, polling.last), !isDisturbed(polling, session)
            else {
                return
            }
            person.polling?.isReported = true
            report.add(
                Finding(
                    R.pollAbandoned, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The 202 requested a retry after \(polling.last.retryAfter ?? 0) s; "
                        + "\(CommCareTime.text(gap)) later the client does something else and has "
                        + "not asked again.",
                    steps: [
                        polling.last.step("the restore is pending"), ask.step("something else"),
                    ]))
            return
        }
        guard let seconds = polling.last.retryAfter else { return }
        if gap < CommCareTime.seconds(seconds) - Self.tolerance {
            report.add(
                Finding(
                    R.polledEarly, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The 202 had Retry-After: \(seconds); the restore was requested again "
                        + "after \(CommCareTime.text(gap)).",
                    expected: "The same request \(seconds) s after the 202.",
                    steps: [
                        polling.last.step("pending", quote: "Retry-After: \(seconds)"),
                        ask.step("requests again after \(CommCareTime.text(gap))"),
                    ]))
        } else if isLate(gap, polling.last), !isDisturbed(polling, session) {
            report.add(
                Finding(
                    R.polledLate, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The 202 had Retry-After: \(seconds); the restore was requested again "
                        + "only after \(CommCareTime.text(gap)).",
                    steps: [
                        polling.last.step("pending", quote: "Retry-After: \(seconds)"),
                        ask.step("requests again after \(CommCareTime.text(gap))"),
                    ]))
        }
    }

    /// A restore that was not requested again when the recording ended.
    func openPolling(
        _ person: CommCarePerson, _ key: CommCarePersonKey, _ session: borrowing SessionView
    ) -> Finding? {
        guard let polling = person.polling, !polling.isReported, polling.last.retryAfter != nil,
            !isDisturbed(polling, session)
        else { return nil }
        let connection = polling.last.row.connection
        return Finding(
            R.pollAbandoned, connection: connection, client: session.client(of: connection),
            topic: key.topic, detail: "", steps: [polling.last.step("the restore is pending")])
    }

    private func isLate(_ gap: Int64, _ reply: CommCareReply) -> Bool {
        guard let seconds = reply.retryAfter else { return false }
        let asked = CommCareTime.seconds(seconds)
        if let nanoseconds = patience.nanoseconds { return gap > asked + nanoseconds }
        return gap > 3 * asked && gap > asked + patience.deadline(of: R.pollAbandoned)
    }

    /// Whether Tapedeck did something after the answer, which may have kept the client from
    /// polling.
    private func isDisturbed(
        _ polling: CommCarePerson.Polling, _ session: borrowing SessionView
    ) -> Bool {
        session.lastFaultAt.map { $0 > polling.last.row.endedAt ?? polling.last.at } ?? false
    }

    func followPolling(
        _ ask: CommCareAsk, _ reply: CommCareReply, _ person: inout CommCarePerson,
        _ report: inout Report
    ) {
        guard reply.status == 202, reply.isHeard else {
            // What is cut or lost is requested again, after an unknown time.
            person.polling = nil
            return
        }
        guard var polling = person.polling, polling.since == ask.since else {
            person.polling = CommCarePerson.Polling(
                since: ask.since, firstAt: reply.at, last: reply,
                done: reply.document?.done.flatMap { Int($0) },
                steps: [ask.step("requests a restore"), reply.step("pending")])
            return
        }
        polling.polls += 1
        follow(reply, ask, &polling, &report)
        polling.last = reply
        if polling.steps.count < 8 {
            polling.steps += [ask.step("requests again"), reply.step("pending")]
        }
        let span = CommCareTime.gap(polling.firstAt, reply.at)
        if !polling.isReported, polling.polls > Self.maxPolls || span > Self.longestPolling {
            polling.isReported = true
            report.add(
                Finding(
                    R.polledWithoutEnd, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The restore was requested \(polling.polls) times within "
                        + "\(CommCareTime.text(span)) and is still pending.",
                    steps: polling.steps + [reply.step("pending, answer \(polling.polls)")]))
        }
        person.polling = polling
    }

    private func follow(
        _ reply: CommCareReply, _ ask: CommCareAsk, _ polling: inout CommCarePerson.Polling,
        _ report: inout Report
    ) {
        let done = reply.document?.done.flatMap { Int($0) }
        guard !reply.isTouched, !polling.last.isTouched, let done, let before = polling.done else {
            polling.done = done
            polling.standing = 0
            return
        }
        polling.done = done
        polling.standing = done == before ? polling.standing + 1 : 0
        if done < before {
            report.add(
                Finding(
                    R.progressBackwards, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic, detail: "The progress went from \(before) to \(done).",
                    steps: [polling.last.step("done=\(before)"), reply.step("done=\(done)")]))
        } else if polling.standing == Self.standing {
            report.add(
                Finding(
                    R.progressStuck, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The progress has stood at \(done) for \(Self.standing + 1) answers.",
                    steps: [polling.last.step("done=\(before)"), reply.step("done=\(done)")]))
        }
    }
}
