import Dissection
import Simperium
import Wire

/// Indexes that are read again though they are known: Diagnosis/Catalogue.md#r39.
extension SimperiumSessionCheck {
    /// The index is requested from its start.
    mutating func judgeReading(
        _ command: CommandEvidence, _ channel: Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard let id = channel.life, let life = lives[id], let reading = life.reading else {
            return
        }
        let connection = command.row.connection
        let fault =
            connection == reading.connection
            ? session[connection]?.lastFaultAt : session.lastFaultAt
        guard session.isWhole(connection), !session.hasGaps, !channel.needsIndex,
            fault.map({ $0 < reading.at || isPretext($0, channel) }) ?? true,
            let reason = pretext(command, channel, reading)
        else {
            lives[id]?.needless = 0
            return
        }
        // Two refusals at once may lead to two requests.
        guard life.countedReading != reading.at else { return }
        lives[id]?.countedReading = reading.at
        lives[id]?.needless += 1
        guard life.needless >= 1 else { return }
        let times = life.needless + 2
        let cost = "each reading takes \(reading.bytes) bytes"
        add(
            Rules.readAgain, command, channel,
            "The client reads the whole index of \(channel.bucket) for the \(Words.ordinal(times)) time, \(reason.detail); \(cost).",
            expected: reason.expected,
            steps: [FindingStep(at: reading.at, "the last page of the reading before")]
                + reason.steps,
            shows: "the index is read again", session, &report)
    }

    private struct Reason {
        var detail: String
        var expected: String?
        var steps: [FindingStep] = []
    }

    /// What the client may have taken for a reason; nil where there may have been a good one.
    private func pretext(
        _ command: CommandEvidence, _ channel: Channel, _ reading: Life.Reading
    ) -> Reason? {
        let at = command.row.at
        if let pretext = channel.pretext {
            guard isRecent(pretext.command.row.at, at) else { return nil }
            let span = Self.seconds(from: pretext.command.row.at, to: at)
            return Reason(
                detail: "\(span) after \(pretext.detail)", expected: pretext.expects,
                steps: [FindingStep(pretext.command, "no reason to read the index")])
        }
        guard channel.run?.isComplete == true, isRecent(reading.at, at) else { return nil }
        let span = Self.seconds(from: reading.at, to: at)
        return Reason(
            detail:
                "\(span) after it had all of it at \(reading.current), and there was no reason to read it again"
        )
    }

    /// Whether a fault is no more than the refusal after which the client reads the index.
    private func isPretext(_ fault: Instant, _ channel: Channel) -> Bool {
        guard let pretext = channel.pretext?.command, pretext.origin == .tapedeck else {
            return false
        }
        return fault <= pretext.row.at
            && pretext.row.at.nanoseconds - fault.nanoseconds < SimperiumSessionTimes.second
    }

    private func isRecent(_ before: Instant, _ now: Instant) -> Bool {
        now.nanoseconds - before.nanoseconds < SimperiumSessionTimes.pretext
    }
}
