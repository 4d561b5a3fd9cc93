import Dissection
import Simperium
import Wire

/// What a client does after `cv:?`: Diagnosis/Catalogue.md#r40.
extension SimperiumSessionCheck {
    /// Other work on the channel: a client that goes on with it will not read the index.
    func judgeWork(
        _ said: SimperiumCommand, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let unknown = channel.unknown, !unknown.isReported,
            case .changes(let changes) = said.body,
            let view = session[command.row.connection], view.coverage == .whole,
            view.had(at: unknown.command.row.at, by: command.row.at)
                || command.row.at.nanoseconds - unknown.command.row.at.nanoseconds
                    > (view.isQuick ? SimperiumSessionTimes.reaction : SimperiumSessionTimes.long),
            view.lastFaultAt ?? .zero <= unknown.command.row.at
        else { return }
        channel.unknown?.isReported = true
        let span = Self.seconds(from: unknown.command.row.at, to: command.row.at)
        add(
            Rules.unknownIgnored, command, channel,
            "\(Self.answer(unknown)), and \(span) later the client changes \(changes.first?.key ?? "an object") without having requested the index of \(channel.bucket).",
            steps: [FindingStep(unknown.command, "the answer")], shows: "the client goes on",
            session, &report)
    }

    /// The same change version again on the connection of the answer.
    func judgeRepetition(
        of cv: String, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        // Where nothing else is a reason to request it, not even crossing is.
        let isQuick = session[command.row.connection]?.isQuick ?? false
        let crossing =
            switch (isQuick, channel.wasRefused) {
            case (true, false): SimperiumSessionTimes.quickCrossing
            case (true, true): SimperiumSessionTimes.crossing
            case (false, _): SimperiumSessionTimes.long
            }
        guard let unknown = channel.unknown, unknown.cv == cv,
            command.row.at.nanoseconds - unknown.command.row.at.nanoseconds > crossing
        else { return }
        repeated(unknown, "again", command, channel, session, &report)
    }

    /// The same change version on the next connection, of a client that went on after the answer.
    func judgeReturn(
        with cv: String, _ command: CommandEvidence, _ channel: Channel,
        _ life: SimperiumSessionLife, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let unknown = life.unknown, unknown.cv == cv, let said = life.unknownSaidAt,
            unknown.command.row.connection != command.row.connection, life.open.count <= 1
        else { return }
        let isQuick = session[unknown.command.row.connection]?.isQuick ?? false
        let crossing = isQuick ? SimperiumSessionTimes.crossing : SimperiumSessionTimes.long
        guard said.nanoseconds - unknown.command.row.at.nanoseconds > crossing,
            session.isWhole(command.row.connection), !session.hasGaps
        else { return }
        repeated(unknown, "on its next connection", command, channel, session, &report)
    }

    private func repeated(
        _ unknown: Channel.Unknown, _ how: String, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        let span = Self.seconds(from: unknown.command.row.at, to: command.row.at)
        add(
            Rules.unknownRepeated, command, channel,
            "The client requests changes since \(Quote.escaped(unknown.cv ?? "")) \(how), \(span) after the server answered that it is unknown.",
            steps: [FindingStep(unknown.command, "the answer")], shows: "requested again",
            session, &report)
    }

    static func answer(_ unknown: Channel.Unknown) -> String {
        let name = unknown.cv.map { "the change version \(Quote.escaped($0))" }
        return "The server does not know \(name ?? "the change version")"
    }
}
