import Dissection
import Simperium
import Wire

/// Entities that are requested again though they were, or are there: Diagnosis/Catalogue.md#r45.
extension SimperiumSessionCheck {
    /// Requests for one version at which nothing but a loop is at work, and the nanoseconds for them.
    private static let leastHasty = 4
    private static let hastyNanoseconds: Int64 = 2 * SimperiumSessionTimes.second
    /// Objects that a client has and loads all the same, at which that is no accident.
    private static let leastRefetched = 2
    /// Nanoseconds after the answer `?` within which only a program removes the object.
    private static let atOnce: Int64 = 2 * SimperiumSessionTimes.second

    func noteRequest(
        of entity: Channel.Entity, _ command: CommandEvidence, _ channel: inout Channel
    ) {
        guard channel.requested.count < Channel.most else { return }
        let at = command.row.at
        if let known = channel.requested[entity.key], known.version == entity.version,
            at.nanoseconds - known.since.nanoseconds <= Self.hastyNanoseconds
        {
            channel.requested[entity.key]?.times += 1
        } else {
            channel.requested[entity.key] = (entity.version, 1, at)
        }
    }

    /// The same version again and again, without a pause.
    func judgeHaste(
        _ entity: Channel.Entity, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let known = channel.requested[entity.key], known.times >= Self.leastHasty,
            let life = channel.life.flatMap({ lives[$0] }),
            // Many keys that were cut to one are another mistake.
            life.versions[entity.key] != nil || life.firstParts[entity.key] == nil
        else { return }
        let span = Self.seconds(from: known.since, to: command.row.at)
        let answer = channel.awaited[entity] == nil ? "each time answered" : "not answered yet"
        add(
            Rules.entityAgain, command, channel, key: entity.key.string,
            "The client requests \(entity.key).\(entity.version) for the \(Words.ordinal(known.times)) time within \(span), \(answer), with nothing new about the object between.",
            expected: "One request; where the answer is ?, the index or the changes, later.",
            shows: "the request", session, &report)
    }

    /// A client that begins with its cv, and loads what it has once more.
    mutating func judgeRefetching(
        _ entity: Channel.Entity, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard let life = channel.life.flatMap({ lives[$0] }), life.connections > 1,
            let held = life.held[entity.key], held.version == entity.version,
            held.at <= life.certainUntil, channel.answered[entity.key] == nil,
            let cv = channel.askedCV, life.order(of: cv) != nil,
            channel.refetched.insert(entity.key).inserted,
            channel.refetched.count >= Self.leastRefetched,
            // On a slow link something on its way may be the reason.
            session[command.row.connection]?.isQuick ?? false
        else { return }
        add(
            Rules.entityAgain, command, channel,
            "The client has \(entity.key).\(entity.version) since an earlier connection, and loads it once more, as \(channel.refetched.count == 2 ? "another object" : "\(channel.refetched.count - 1) other objects") that it has.",
            expected: "Only versions that the client does not have.",
            cause: "The client does not compare the versions of the index with its own.",
            shows: "the request", session, &report)
    }

    /// An object is removed because one of its versions does not exist.
    func judgeRemoval(
        _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence, _ channel: Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard change.operation == .remove, let name = change.key,
            session.isWhole(command.row.connection)
        else { return }
        let key = SimperiumName(name)
        guard let answer = channel.missing[key],
            command.row.at.nanoseconds - answer.row.at.nanoseconds <= Self.atOnce
        else { return }
        let isHeld = channel.life.flatMap { lives[$0]?.held[key] } != nil
        add(
            Rules.missingRemoved, command, channel, key: name,
            "The client removes \(name) \(Self.seconds(from: answer.row.at, to: command.row.at)) after the answer ?, which says that one version of it is not there."
                + (isHeld ? " The user may have removed it, too." : ""),
            severity: isHeld ? .warning : nil, steps: [FindingStep(answer, "the answer ?")],
            shows: "the removal", session, &report)
    }

    /// A change for a version that the client reached by a change that did not apply.
    func judgeGap(
        _ change: SimperiumChange<Range<Int>>, _ command: CommandEvidence, _ channel: inout Channel,
        _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard !channel.gaps.isEmpty, let name = change.key, let sv = change.sv, change.data == nil,
            let gap = channel.gaps[SimperiumName(name)], sv > gap.sv, gap.reached == gap.known,
            !gap.isRequested, let view = session[command.row.connection],
            view.coverage == .whole, view.had(at: gap.command.row.at, by: command.row.at)
        else { return }
        channel.gaps[SimperiumName(name)] = nil
        add(
            Rules.notReloaded, command, channel, key: name,
            "A change of \(name) applies to version \(gap.sv), the client received \(gap.known), and now edits version \(sv) without having loaded the object.",
            steps: [FindingStep(gap.command, "the change that does not apply")],
            shows: "the client goes on", session, &report)
    }
}
