import Dissection
import OpenRosa
import Wire

/// Restores that were received, and mistakes of servers in them: Diagnosis/Catalogue.md#c54, #c55,
/// #c61.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// A restore was answered with 200.
    mutating func take(
        _ exchange: borrowing ExchangeEvidence, _ ask: CommCareAsk, _ reply: CommCareReply,
        _ person: inout CommCarePerson, _ report: inout Report
    ) {
        person.polling = nil
        let isFull = !ask.isIncremental
        let onto = !isFull && person.ledger?.token == ask.since ? person.ledger : nil
        person.ledger = nil
        guard let side = exchange.response,
            let restore = CommCareRestore(side, onto: onto, isFull: isFull)
        else { return }
        if !reply.isTouched, !ask.isTouched, reply.isHeard {
            checkServer(restore, onto, ask, reply, &report)
        }
        guard let token = restore.token else { return }
        let ended = reply.row.endedAt ?? reply.at
        // A device reads and stores the restore before it uses the token.
        let reading = CommCareTime.seconds(1 + Double(restore.digest.count) / 500_000)
        let issued = CommCarePerson.Issued(
            token: token, row: reply.row, settledAt: CommCareTime.after(ended, reading),
            isBroken: restore.isBroken && reply.isHeard)
        let isTaken = reply.isHeard && restore.problem == nil && !reply.isTouched
        remember(token, restore, ask, reply)
        person.isForAnother = ask.isForAnother
        guard isTaken else {
            if person.maybe.count < CommCarePerson.maxTokens { person.maybe[token] = issued }
            return
        }
        person.hasTakenLast = true
        if let current = person.current, current.token != token,
            person.replaced.count < CommCarePerson.maxTokens
        {
            person.replaced[current.token] = current
        }
        if person.current?.token != token { person.hasUsedCurrent = false }
        person.replaced[token] = nil
        person.maybe = [:]
        person.current = issued
        person.ledger = restore.ledger
        person.refused = nil
        person.refusedTwice = nil
        person.updatedBlind = [:]
    }

    private mutating func remember(
        _ token: String, _ restore: CommCareRestore, _ ask: CommCareAsk, _ reply: CommCareReply
    ) {
        let name = Name(server: ask.person.server, name: token)
        if owners[name] == nil, owners.count < Self.maxTokens {
            owners[name] = Owner(
                person: ask.person, row: reply.row, isForAnother: ask.isForAnother,
                digest: restore.digest, isTouched: reply.isTouched)
        }
        if let id = restore.userID, !id.isEmpty, !ask.isForAnother, !ask.person.user.isEmpty,
            registered.count < Self.maxTokens
        {
            let name = Name(server: ask.person.server, name: "user " + id)
            if registered[name] == nil { registered[name] = ask.person.user }
        }
    }

    private func checkServer(
        _ restore: CommCareRestore, _ onto: CommCareLedger?, _ ask: CommCareAsk,
        _ reply: CommCareReply, _ report: inout Report
    ) {
        if let token = restore.token,
            let owner = owners[Name(server: ask.person.server, name: token)], !owner.isTouched,
            owner.digest != restore.digest
        {
            report.add(
                Finding(
                    R.tokenReused, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The restore_id \(token) was issued twice, with "
                        + "\(owner.digest.count) and \(restore.digest.count) bytes that differ.",
                    steps: [
                        owner.row.responseStep("issues \(token)"),
                        reply.step("issues it again"),
                    ]))
        }
        if let unknown = restore.unknown, let onto, onto.isExact,
            let id = unknown.caseID, !onto.knows(id)
        {
            report.add(
                Finding(
                    R.serverUnknownCase, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic, detail: "The restore has \(unknown.detail).",
                    steps: [ask.step("requests what is new"), reply.step(unknown.detail)]))
        }
        if let cycle = restore.cycle, onto != nil || !ask.isIncremental {
            report.add(
                Finding(
                    R.serverCycle, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "After the restore these cases refer to each other in a circle: "
                        + Self.circle(cycle) + ".",
                    steps: [reply.step(Self.circle(cycle))]))
        }
        if let onto, onto.set.cases.count >= 10, restore.known >= onto.set.cases.count {
            report.add(
                Finding(
                    R.fullForIncremental, connection: ask.row.connection, client: ask.client,
                    topic: ask.topic,
                    detail: "The answer to since=\(ask.since ?? "") creates all "
                        + "\(Words.count(onto.set.cases.count, "case")) that the device has.",
                    steps: [
                        ask.step("requests what is new"), reply.step("\(restore.blocks) cases"),
                    ]))
        }
    }

    /// `a → b → a`.
    static func circle(_ ids: [String]) -> String {
        let shown = ids.prefix(6).joined(separator: " → ") + (ids.count > 6 ? " → …" : "")
        return shown + " → " + (ids.first ?? "")
    }
}
