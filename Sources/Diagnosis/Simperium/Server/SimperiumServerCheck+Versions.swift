import Dissection
import Simperium
import Wire

/// Servers that go back behind the versions that they have sent: Diagnosis/Catalogue.md#s02.
extension SimperiumServerCheck {
    /// Whether a version was sent long enough before a request for its answer to have it.
    private static func precedes(_ head: Bucket.Head, _ request: Instant) -> Bool {
        request.nanoseconds - head.command.row.at.nanoseconds > settling
    }

    /// A page of an index: versions that were sent before, or that are missing.
    mutating func judgeVersions(
        _ page: IndexPage<Range<Int>>, _ asked: Channel.PageRequest, _ command: CommandEvidence,
        _ channel: inout Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        if asked.request.mark == nil { channel.reading = (asked.command.row.at, []) }
        guard let id = channel.bucket, let since = channel.reading?.since, !command.isCut,
            let heads = buckets[id]?.heads, !heads.isEmpty
        else { return }
        for entry in page.entries {
            guard let name = entry.key, let version = entry.version else { continue }
            let key = SimperiumName(name)
            guard channel.reading?.keys.count ?? 0 < Channel.most else {
                channel.reading = nil
                return
            }
            channel.reading?.keys.insert(key)
            guard let head = heads[key], version < head.ev, Self.precedes(head, since) else {
                continue
            }
            goBack(
                key, head, "the index has it at version \(version)", asked.command, command,
                channel,
                session, &report)
        }
        guard page.mark?.isEmpty ?? true, let keys = channel.reading?.keys else { return }
        channel.reading = nil
        let missing = heads.filter { !keys.contains($0.key) && Self.precedes($0.value, since) }
        guard let first = missing.min(by: { $0.key.string < $1.key.string }) else { return }
        suspect(first.key, first.value, "the index does not have it", asked.command, command)
    }

    /// An answer that there is no such version.
    mutating func judgeVersion(
        _ reply: EntityReply<Range<Int>>, _ command: CommandEvidence, _ channel: Channel
    ) {
        let key = SimperiumName(reply.key)
        guard case .missing = reply.content, let id = channel.bucket,
            let head = buckets[id]?.heads[key], head.ev == reply.version,
            let last = channel.last, last.heard?.command.name == "e",
            Self.precedes(head, last.row.at)
        else { return }
        suspect(key, head, "the server answers that there is no such version", last, command)
    }

    /// Waits for a removal of the object, which may follow its effect.
    private mutating func suspect(
        _ key: SimperiumName, _ head: Bucket.Head, _ what: String, _ request: CommandEvidence,
        _ command: CommandEvidence
    ) {
        let start = command.row.at
        deadlines.wait(
            until: Instant(nanoseconds: start.nanoseconds + Self.settling),
            Due(
                connection: command.row.connection, channel: command.row.channel, start: start,
                patience: Self.settling,
                duty: .loss(
                    Due.Loss(key: key, head: head, what: what, request: request, answer: command))))
    }

    /// The object was not removed since.
    func judge(
        _ loss: Due.Loss, _ channel: Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        goBack(
            loss.key, loss.head, loss.what, loss.request, loss.answer, channel, session, &report)
    }

    /// A change that was made of the last version, and leads to none above it.
    func judgeAcknowledgement(
        _ change: SimperiumChange<Range<Int>>, of own: CommandEvidence, _ command: CommandEvidence,
        _ channel: Channel, _ session: borrowing SessionView, _ report: inout Report
    ) {
        guard change.error == nil, change.operation == .modify, let name = change.key,
            let ev = change.ev, let known = channel.versions[SimperiumName(name)], ev < known.ev,
            case .changes(let asked)? = own.heard?.command.body,
            asked.contains(where: { $0.key == name && $0.sv == known.ev })
        else { return }
        goBack(
            SimperiumName(name), Bucket.Head(ev: known.ev, command: known.command),
            "a change of that version is acknowledged as version \(ev)", own, command, channel,
            session, &report)
    }

    private func goBack(
        _ key: SimperiumName, _ head: Bucket.Head, _ what: String, _ request: CommandEvidence,
        _ command: CommandEvidence, _ channel: Channel, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard session.isWhole(command.row.connection), !session.hasGaps,
            session.lastFaultAt.map({ $0 < head.command.row.at }) ?? true
        else { return }
        add(
            Rules.goesBack, command, channel, key: key.string,
            "The server has sent version \(head.ev) of \(key), and now \(what).",
            expected: "Version \(head.ev) of \(key), or a later one.",
            steps: [
                FindingStep(head.command, "version \(head.ev)"),
                FindingStep(request, "the request"),
            ], session, &report)
    }
}
