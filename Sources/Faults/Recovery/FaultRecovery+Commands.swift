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
            switch row.name {
            case "init": tried(.authorisation(client, bucket: bucket), at: row.at)
            case "h": tried(.heartbeat(client), at: row.at)
            case "c": for change in changes { send(change, client, bucket, row) }
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
                evidence(
                    row,
                    "the client continued without it, with command "
                        + "c\(row.id)"
                ).tentatively,
                where: { item, _ in item.declared.mayBeTakenBack })
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
        guard case .index? = request.request else { return }
        for client in directory.names(of: row.connection) {
            tried(.index(client, bucket: row.bucket ?? ""), at: row.at)
        }
    }

    private mutating func ask(_ client: ClientName, _ bucket: String, _ row: CommandRow) {
        if row.name == "i" { tried(.index(client, bucket: bucket), at: row.at) }
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
        _ change: ChangeRow, _ client: ClientName, _ bucket: String, _ row: CommandRow
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
        }
        for ccid in change.identifiers {
            let sign = RecoveryEvent.changeSent(client, ccid)
            tried(sign, at: row.at)
            show(
                sign,
                evidence(row, "").against(
                    "the change was sent again under the same ccid, in command c\(row.id)"))
        }
    }

    // MARK: The server

    private mutating func seeServer(
        _ row: CommandRow, _ changes: [ChangeRow], _ text: [UInt8]
    ) {
        let bucket = row.bucket ?? ""
        let isSpoiled = spoiledMessages.contains(row.message)
        for client in directory.names(of: row.connection) {
            switch row.name {
            case "c" where !isSpoiled:
                for change in changes { deliver(change, client, bucket, row) }
            case "auth" where !isSpoiled && row.error == nil:
                guard case .auth(.accepted) = SimperiumCommand.parse(text, from: .server).body
                else { continue }
                let found = evidence(row, "authorised by command c\(row.id)")
                show(.authorisation(client, bucket: bucket), found)
                reconnected(client, on: row.connection, found)
            case "i" where !isSpoiled:
                guard
                    case .indexPage(let page) = SimperiumCommand.parse(text, from: .server).body,
                    page.mark == nil || page.mark == ""
                else { continue }
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
        show(.heartbeat(client), found, where: { _, tries in tries > 0 })
    }

    /// An entity that the client requested.
    private mutating func deliver(
        _ text: [UInt8], _ client: ClientName, _ bucket: String, _ row: CommandRow
    ) {
        guard let key = row.key,
            isAwaited(.object(client, bucket: bucket, key: key)),
            case .entity(let reply) = SimperiumCommand.parse(text, from: .server).body,
            reply.content != .missing
        else { return }
        show(
            .object(client, bucket: bucket, key: key),
            evidence(row, "version \(reply.version) of \(key) arrived with command c\(row.id)"),
            where: { item, _ in reply.version >= item.version ?? .min })
    }

    /// A change of the server reaches the client.
    private mutating func deliver(
        _ change: ChangeRow, _ client: ClientName, _ bucket: String, _ row: CommandRow
    ) {
        let isAnswer = change.error == nil || change.error == 409
        for ccid in change.identifiers where isAnswer {
            show(
                .ccid(client, ccid),
                evidence(
                    row,
                    change.error == nil
                        ? "acknowledged by command c\(row.id)"
                        : "sent again, and already applied by the server: command c\(row.id)"))
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
        show(
            .object(client, bucket: bucket, key: key),
            evidence(row, "the change of \(key) arrived with command c\(row.id)"),
            where: { item, tries in
                guard let least = item.version, let version = change.ev else { return true }
                // A client that lacks the change before cannot apply a newer one, unless it
                // requested both.
                return version == least || (version > least && tries > 0)
            })
    }
}

extension ChangeRow {
    /// Its ccids, one by one.
    var identifiers: [String] { ccid?.split(separator: " ").map(String.init) ?? [] }
}
