import Dissection
import Simperium
import Wire

extension FaultRecovery {
    /// A Simperium command.
    mutating func see(_ row: CommandRow, _ changes: [ChangeRow], _ text: [UInt8]) {
        switch row.sender {
        case .client: seeClient(row, changes, text)
        case .server: seeServer(row, changes, text)
        }
    }

    private func evidence(_ row: CommandRow, _ how: String) -> Evidence {
        Evidence(at: row.at, how: how, command: row.id, message: row.message)
    }

    // MARK: The client

    private mutating func seeClient(
        _ row: CommandRow, _ changes: [ChangeRow], _ text: [UInt8]
    ) {
        if row.name == "init" { note(row, text) }
        if row.name == "h",
            case .heartbeat(let number) = SimperiumCommand.parse(text, from: .client).body
        {
            directory.beat(number, on: row.connection)
        }
        let bucket = row.bucket ?? ""
        for client in directory.names(of: row.connection) {
            acted(client, at: row.at)
            switch row.name {
            case "init":
                tried(.authorisation(client, bucket: bucket), at: row.at)
                if row.request != nil { ask(client, bucket, row) }
            case "h": tried(.heartbeat(client), at: row.at)
            case "c": for change in changes { send(change, client, bucket, row, text) }
            case "i", "cv": ask(client, bucket, row)
            case "e":
                ask(client, bucket, row)
                request(client, bucket, row, text)
            default: break
            }
            show(
                .anyCommand(client),
                evidence(row, "the client continued, with \(row.name) in command c\(row.id)"),
                where: { item, _ in !item.declared.mayBeTakenBack })
            show(
                .anyCommand(client),
                evidence(row, "the client continued without it, with command c\(row.id)")
                    .tentatively,
                where: { item, _ in
                    guard item.declared.mayBeTakenBack else { return false }
                    // A new token is not yet the end of it.
                    return !item.needsToken
                        || changes.contains { Set($0.identifiers).isDisjoint(with: item.ccids) }
                })
        }
    }

    private mutating func note(_ row: CommandRow, _ text: [UInt8]) {
        guard
            case .initialize(let request) = SimperiumCommand.parse(text, from: .client).body
        else { return }
        if let id = request.clientID { directory.identify(row.connection, as: id) }
        if let channel = row.channel, let bucket = request.bucket ?? row.bucket {
            directory.name(channel, bucket, on: row.connection)
        }
    }

    private mutating func ask(_ client: ClientName, _ bucket: String, _ row: CommandRow) {
        if row.names.contains("i") { tried(.index(client, bucket: bucket), at: row.at) }
        let sign = RecoveryEvent.asked(client, bucket: bucket)
        tried(sign, at: row.at)
        show(sign, evidence(row, "the client requested it again, with command c\(row.id)"))
    }

    /// An entity is requested.
    private mutating func request(
        _ client: ClientName, _ bucket: String, _ row: CommandRow, _ text: [UInt8]
    ) {
        guard
            case .entityRequest(let key, _) = SimperiumCommand.parse(text, from: .client).body
        else { return }
        let sign = RecoveryEvent.entityRequest(client, bucket: bucket, key: key)
        guard isAwaited(sign) || isCounted(sign) else { return }
        tried(sign, at: row.at)
        show(
            sign,
            evidence(row, "").against(
                "the client keeps requesting \(key), with command c\(row.id)"),
            where: { _, tries in tries > Self.patience })
    }

    /// How often a client may request a missing object before it counts as a loop.
    private static let patience = 3
    /// The maximum number of ccids that are kept for one object.
    private static let maxIdentifiers = 64

    private mutating func send(
        _ change: ChangeRow, _ client: ClientName, _ bucket: String, _ row: CommandRow,
        _ text: [UInt8]
    ) {
        if let key = change.key {
            let sign = RecoveryEvent.ownChange(client, bucket: bucket, key: key)
            if isAwaited(sign), let ccid = change.ccid {
                tried(sign, at: row.at)
                if sent[sign, default: []].count >= Self.maxIdentifiers {
                    sent[sign]?.removeFirst()
                }
                sent[sign, default: []].append(ccid)
            }
            seek(change, .edited(client, bucket: bucket, key: key), client, row, text)
        }
        let authorised = directory.authorised(row.channel, on: row.connection)
        for ccid in change.identifiers {
            let sign = RecoveryEvent.changeSent(client, ccid)
            tried(sign, at: row.at)
            show(
                sign,
                evidence(row, "").against(
                    "the change was sent again under the same ccid, in command c\(row.id)"),
                // With a new token the same change is right.
                where: { item, _ in
                    !item.needsToken || (authorised.map { $0 < item.fault.row.at } ?? true)
                })
        }
    }

    /// A change of an object for which an answer to the client claimed that the server has an edit,
    /// or of which a change had no answer.
    private mutating func seek(
        _ change: ChangeRow, _ sign: RecoveryEvent, _ client: ClientName, _ row: CommandRow,
        _ text: [UInt8]
    ) {
        guard isAwaited(sign) else { return }
        tried(sign, at: row.at)
        let message = row.text ?? text
        guard let ccid = change.ccid,
            case .changes(let parsed) = SimperiumCommand.parse(message, from: .client).body,
            let later = parsed.first(where: { $0.ccids.contains(ccid) })
        else { return }
        let edit = SoughtEdit(later, in: message)
        for index in waitingCases(for: sign) where !cases[index].ccids.contains(ccid) {
            if cases[index].edit?.isIn(edit) == true { wait(index, for: .ccid(client, ccid)) }
            guard !cases[index].isSettled, cases[index].unanswered?.isDoubled(by: edit) == true
            else { continue }
            conclude(
                index,
                evidence(row, "").against(
                    "the same text was sent again under another ccid, in command c\(row.id), "
                        + "and may be inserted twice"))
        }
    }

    // MARK: The server

    /// The bytes that a trace keeps of a message; of a larger one it has the start.
    private static let keptBytes = DissectionLimits().storedPayload

    private mutating func seeServer(
        _ row: CommandRow, _ changes: [ChangeRow], _ text: [UInt8]
    ) {
        let bucket = row.bucket ?? ""
        let isSpoiled = spoiledMessages.contains(row.message)
        if row.name == "auth", row.error == nil, let channel = row.channel,
            case .auth(.accepted) = SimperiumCommand.parse(text, from: .server).body
        {
            directory.authorise(channel, at: row.at, on: row.connection)
        }
        for client in directory.names(of: row.connection) {
            if isAwaited(.survival(client)) {
                let found = evidence(row, "the server's \(row.name) in command c\(row.id)")
                survived(client, on: row.connection, found)
            }
            switch row.name {
            case "c" where !isSpoiled:
                for change in changes { deliver(change, client, bucket, row) }
                if row.error == nil {
                    show(
                        .changes(client, bucket: bucket),
                        evidence(row, "changes arrived with command c\(row.id)"))
                }
            case "auth" where !isSpoiled && row.error == nil:
                guard case .auth(.accepted) = SimperiumCommand.parse(text, from: .server).body
                else { continue }
                let found = evidence(row, "authorised by command c\(row.id)")
                show(.authorisation(client, bucket: bucket), found)
                reconnected(client, on: row.connection, found)
            case "i" where !isSpoiled && text.count >= Self.keptBytes:
                // Of a large page the trace has the start alone, and no mark.
                show(
                    .index(client, bucket: bucket),
                    evidence(row, "a page of the index arrived with command c\(row.id)")
                        .tentatively)
            case "i" where !isSpoiled:
                guard case .indexPage(let page) = SimperiumCommand.parse(text, from: .server).body
                else { continue }
                for entry in page.entries {
                    guard let key = entry.key, let data = entry.data else { continue }
                    seek(
                        .content(client, bucket: bucket, key: key), data, of: text,
                        evidence(row, "the edit is in the index of command c\(row.id)"))
                }
                guard page.mark == nil || page.mark == "" else { continue }
                let found = evidence(row, "index complete with command c\(row.id)")
                show(.index(client, bucket: bucket), found)
            case "e" where !isSpoiled: deliver(text, client, bucket, row)
            case "h" where !isSpoiled: answer(client, row, text)
            default: break
            }
        }
    }

    private mutating func answer(_ client: ClientName, _ row: CommandRow, _ text: [UInt8]) {
        guard isAwaited(.heartbeat(client)),
            case .heartbeat(let number) = SimperiumCommand.parse(text, from: .server).body,
            let asked = directory[row.connection]?.heartbeat, number == asked &+ 1
        else { return }
        let found = evidence(row, "heartbeat answered by command c\(row.id)")
        show(.heartbeat(client), found, where: { item, tries in tries > 0 || item.ownCounts })
    }

    /// An entity that the client requested.
    private mutating func deliver(
        _ text: [UInt8], _ client: ClientName, _ bucket: String, _ row: CommandRow
    ) {
        guard let key = row.key else { return }
        let content = RecoveryEvent.content(client, bucket: bucket, key: key)
        guard isAwaited(.object(client, bucket: bucket, key: key)) || isAwaited(content),
            case .entity(let reply) = SimperiumCommand.parse(text, from: .server).body,
            reply.content != .missing
        else { return }
        if let data = reply.data {
            seek(
                content, data, of: text,
                evidence(row, "the edit is in the object of command c\(row.id)"))
        }
        show(
            .object(client, bucket: bucket, key: key),
            evidence(row, "version \(reply.version) of \(key) arrived with command c\(row.id)"),
            where: { item, _ in reply.version >= item.version ?? .min })
    }

    /// The data of an object, in which an edit may be.
    private mutating func seek(
        _ sign: RecoveryEvent, _ data: Range<Int>, of text: [UInt8], _ evidence: Evidence
    ) {
        guard isAwaited(sign), data.upperBound <= text.count,
            let value = Ledger.Object.value(Array(text[data]))
        else { return }
        show(sign, evidence, where: { item, _ in item.edit?.isIn(value) == true })
        for index in waitingCases(for: sign) { cases[index].isShownWithout = true }
    }

    /// A change of the server reaches the client.
    private mutating func deliver(
        _ change: ChangeRow, _ client: ClientName, _ bucket: String, _ row: CommandRow
    ) {
        let isMade = change.error.map { code in
            change.identifiers.contains { madeRefusals[$0]?.contains(code) == true }
        }
        if change.error == nil {
            for ccid in change.identifiers where madeRefusals[ccid] != nil {
                accepted[ccid] = row.id
            }
        } else if isMade == false, let key = change.key, Self.misfits.contains(change.error ?? 0) {
            show(
                .misfit(client, bucket: bucket, key: key),
                evidence(row, "").against(
                    "a later change of \(key) does not fit what the server has, which refused it "
                        + "in command c\(row.id)"))
        }
        let isAnswer = change.error == nil || change.error == 409 && isMade == false
        for ccid in change.identifiers where isAnswer {
            showArrival(
                .ccid(client, ccid),
                evidence(
                    row,
                    change.error == nil
                        ? "acknowledged by command c\(row.id)"
                        : "sent again, and already applied by the server: command c\(row.id)"),
                // The same refusal once more does not show that the server has it.
                where: { item, _ in change.error == nil || item.edit == nil })
        }
        guard let key = change.key, isAnswer else { return }
        let own = RecoveryEvent.ownChange(client, bucket: bucket, key: key)
        if let known = sent[own], change.identifiers.contains(where: { known.contains($0) }) {
            show(
                own,
                evidence(row, "a later change of \(key) was acknowledged by command c\(row.id)"))
            if !isAwaited(own) { sent[own] = nil }
        }
        guard change.error == nil else { return }
        showArrival(
            .object(client, bucket: bucket, key: key),
            evidence(row, "the change of \(key) arrived with command c\(row.id)"),
            where: { item, tries in
                guard let least = item.version, let version = change.ev else { return true }
                // A client that lacks the change before cannot apply a newer one, unless it
                // requested both.
                return version == least || (version > least && tries > 0)
            })
        if let version = change.ev { overtake(key, version, client, bucket, row) }
    }

    /// Gives the cases that wait for the arrival of a change their verdict, which may be revoked
    /// where it is the message itself that comes late or twice: what the client makes of it counts.
    private mutating func showArrival(
        _ sign: RecoveryEvent, _ found: Evidence,
        where holds: (RecoveryCase, _ tries: Int) -> Bool
    ) {
        show(
            sign, found.tentatively,
            where: { item, tries in item.ownCounts && holds(item, tries) })
        show(sign, found, where: { item, tries in !item.ownCounts && holds(item, tries) })
    }
}

extension FaultRecovery {
    /// Codes of changes that were made on a version or data that the server does not have.
    static let misfits: Set<Int> = [404, 405, 440]

    /// A newer change of an object has come before one that is late: with that one alone, the
    /// client still lacks the newer.
    private mutating func overtake(
        _ key: String, _ version: Int64, _ client: ClientName, _ bucket: String, _ row: CommandRow
    ) {
        for index in waitingCases(for: .object(client, bucket: bucket, key: key))
        where cases[index].action?.kind == .reorder && row.message != cases[index].fault.message {
            guard let late = cases[index].version, version > late, tries(of: cases[index]) == 0
            else { continue }
            cases[index].version = version
        }
    }
}

extension ChangeRow {
    /// Its ccids, one by one.
    var identifiers: [String] { ccid?.split(separator: " ").map(String.init) ?? [] }
}
