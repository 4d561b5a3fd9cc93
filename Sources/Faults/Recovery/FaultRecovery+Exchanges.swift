import Wire

extension FaultRecovery {
    /// A client connected.
    mutating func see(_ row: ConnectionRow) {
        directory.open(row.id, row.client, at: row.at)
        for name in directory.names(of: row.id) { tried(.reconnection(name), at: row.at) }
    }

    /// An exchange.
    mutating func see(_ row: ExchangeRowFacts, _ instance: String?) {
        if let device = row.device { directory.identify(row.connection, as: device) }
        let name = RequestName(
            api: row.api, method: row.method, host: row.host, path: row.path, instance: instance)
        if touched.contains(row.id) {
            let hit = Hit(
                row: row, name: name,
                client: directory.client(of: row.connection, device: row.device))
            hits[row.id] = hit
            for index in early.removeValue(forKey: row.id) ?? [] where !cases[index].isSettled {
                beginExchange(index, hit)
            }
        }
        let isGood =
            row.isGood && !spoiledExchanges.contains(row.id)
            && (row.takesAnySuccess || !answeredExchanges.contains(row.id))
        let status = row.status.map { " answered \($0)" } ?? " without an answer"
        let evidence = Evidence(at: row.at, how: "exchange \(row.id)\(status)", exchange: row.id)
        for client in directory.names(of: row.connection, device: row.device) {
            acted(client, at: row.startedAt)
            tried(.request(client, name), at: row.startedAt, row)
            if let instance {
                tried(.form(client, instance), at: row.startedAt)
                show(
                    .form(client, instance),
                    evidence.against("the form was sent again, as exchange \(row.id)"))
            }
            show(
                .anyRequest(client),
                evidence.saying("the client continued without it, with exchange \(row.id)")
                    .tentatively)
            guard isGood else { continue }
            show(.request(client, name), evidence)
            if row.method != "CONNECT" {
                show(
                    .anyAnswer(client),
                    evidence.saying("the client continued, with exchange \(row.id)\(status)"))
            }
            reconnected(client, on: row.connection, evidence)
            survived(client, on: row.connection, evidence)
        }
    }

    /// Something succeeded on a connection.
    mutating func reconnected(
        _ client: ClientName, on connection: ConnectionID, _ evidence: Evidence
    ) {
        let sign = RecoveryEvent.reconnection(client)
        guard isAwaited(sign), let opened = directory[connection]?.openedAt else { return }
        show(sign, evidence.saying("back on connection \(connection): \(evidence.how)")) {
            item, _ in
            item.fault.row.connection != connection && opened >= item.fault.row.at
        }
    }

    /// A client received something on a connection.
    mutating func survived(
        _ client: ClientName, on connection: ConnectionID, _ evidence: Evidence
    ) {
        let sign = RecoveryEvent.survival(client)
        guard isAwaited(sign) else { return }
        show(sign, evidence.saying("the connection goes on: \(evidence.how)")) { item, _ in
            let length = item.action?.duration("for") ?? 0
            let end = item.fault.row.at.nanoseconds.addingReportingOverflow(length)
            return item.fault.row.connection == connection
                && !end.overflow && evidence.at.nanoseconds >= end.partialValue
        }
    }
}

extension Evidence {
    /// The same in other words.
    func saying(_ how: String) -> Evidence {
        var evidence = self
        evidence.how = how
        return evidence
    }
}
