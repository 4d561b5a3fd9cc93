internal import Notation
internal import OpenRosa
internal import Wire

extension SessionState {
    /// Processes an exchange that went through as it was sent.
    ///
    /// - Parameters:
    ///   - exchange: The exchange, in the order of requests.
    ///   - api: What it is for, as in ``OpenRosaAPI``; others than restores and submissions are
    ///     skipped.
    ///   - request: The request.
    ///   - response: The response; nil where there was none.
    public mutating func exchange(
        _ exchange: RecordedExchange, api: String, request: ReplayMessage, response: ReplayMessage?
    ) {
        let answer = exchange.status.flatMap { status in
            response.map { ExchangeSides.Response(status: status, message: $0) }
        }
        self.exchange(
            exchange, api: api, ExchangeSides(request: request, sent: answer, received: answer))
    }

    /// Processes an exchange that may have been lost or altered on its way.
    ///
    /// - Parameters:
    ///   - exchange: The exchange, in the order of requests.
    ///   - api: What it is for.
    ///   - sides: What each side had of it.
    public mutating func exchange(
        _ exchange: RecordedExchange, api: String, _ sides: ExchangeSides
    ) {
        switch api {
        case OpenRosaAPI.commcareRestore.rawValue: restore(exchange, sides)
        case OpenRosaAPI.commcareSubmit.rawValue: submission(exchange, sides)
        default: break
        }
    }

    // MARK: Restores

    private mutating func restore(_ exchange: RecordedExchange, _ sides: ExchangeSides) {
        order += 1
        let asker = UserDirectory.Asker(exchange, sides.request)
        let place = directory.place(of: asker, in: &users)
        note(asker, sides)
        let isFull = asker.since == nil
        if !isFull {
            _ = try? users[place].client.cases.purge(owners: users[place].client.owners)
        }
        if let state = asker.state {
            users[place].sentState = (state, exchange.id)
            users[place].stateMismatch = mismatch(state, of: users[place], exchange.id)
        }
        var read: (body: [UInt8], document: RestoreDocument)?
        func document(_ response: ExchangeSides.Response) -> RestoreDocument {
            if let read, read.body == response.message.body { return read.document }
            let document = RestoreDocument(response.message.body)
            read = (response.message.body, document)
            return document
        }
        if sides.reached, let sent = sides.sent, sent.status == 200 {
            let document = document(sent)
            if document.isRestore { serverRestored(place, document, exchange, isFull: isFull) }
            if let name = document.userName, let authorization = asker.authorization {
                directory.name(authorization, name)
            }
        }
        if let received = sides.received, received.status == 200 {
            let document = document(received)
            if document.isRestore, document.isComplete, received.isWhole {
                clientRestored(place, document, exchange, isFull: isFull)
            }
        }
    }

    private mutating func serverRestored(
        _ place: Int, _ document: RestoreDocument, _ exchange: RecordedExchange, isFull: Bool
    ) {
        let domain = users[place].domain
        var state = takeDomain(domain)
        let owners = document.owners(before: users[place].client.owners)
        for block in document.blocks {
            state.apply(block, from: .restore, order)
        }
        if state.history != nil {
            for block in document.ledgers { state.history?.apply(block, order) }
        }
        let since = exchange.since
        let basis = since.flatMap { users[place].server.log($0) }
        var log =
            isFull ? SyncLog(ownerIDs: owners ?? []) : basis ?? SyncLog(ownerIDs: owners ?? [])
        if let owners { log.ownerIDs = owners }
        for block in document.blocks {
            guard let id = block.caseID, let held = state.cases[id] else { continue }
            if owners == nil, let owner = held.ownerID { log.ownerIDs.insert(ExactText(owner)) }
            // What others closed is removed from the device with its next purge.
            if block.isClosed, !isFull { log.apply([block]) } else { log.receive(held) }
        }
        domains[domain] = state
        if let user = document.userName, users[place].user == nil { users[place].user = user }
        if let id = document.userID { users[place].server.userID = id }
        guard let token = document.token, !token.isEmpty else { return }
        directory.give(token, domain, to: place)
        users[place].server.syncToken = token
        users[place].server.restore = exchange.id
        // The device may have the one before.
        users[place].server.logs.removeAll { $0.token == token }
        users[place].server.logs = users[place].server.logs.suffix(2) + [(token, log, order)]
    }

    private mutating func clientRestored(
        _ place: Int, _ document: RestoreDocument, _ exchange: RecordedExchange, isFull: Bool
    ) {
        let before = users[place].client.owners
        let set = users[place].client.cases
        users[place].client.cases = CaseSet()
        var restore = RestoreInProgress(isFull ? .full : .incremental, of: set, .tolerant)
        for event in document.events { try? restore.receive(event) }
        users[place].client.cases = restore.finish()
        users[place].client.owners = document.owners(before: before)
        if let token = document.token, !token.isEmpty { users[place].client.syncToken = token }
        users[place].client.restore = exchange.id
        users[place].client.restoredAt = order
        guard isFull else { return }
        users[place].client.isComplete = true
        users[place].stateMismatch = nil
        for index in users[place].unanswered.indices {
            users[place].unanswered[index].isCleared = true
        }
    }

    // MARK: Submissions

    private mutating func submission(_ exchange: RecordedExchange, _ sides: ExchangeSides) {
        order += 1
        let asker = UserDirectory.Asker(exchange, sides.request)
        let place = directory.place(of: asker, in: &users)
        note(asker, sides)
        guard let form = FormDocument(sides.request) else { return }
        let id = form.instanceID ?? "exchange \(exchange.id)"
        let isAccepted = sides.reached && sides.sent.map(Self.isAccepted) ?? false
        if isAccepted {
            let arrived = sides.arrived.flatMap(FormDocument.init) ?? form
            accept(arrived, id, of: place, token: sides.arrivedToken(asker))
        } else if keepsHistory, sides.reached, let sent = sides.sent {
            refuse(sides.arrived.flatMap(FormDocument.init) ?? form, id, of: place, sent)
        }
        guard !users[place].finished.contains(ExactText(id)) else { return }
        var list = users[place].unanswered
        users[place].unanswered = []
        let index: Int
        if let known = list.firstIndex(where: { ExactText($0.instanceID) == ExactText(id) }) {
            list[known].tries += 1
            index = known
        } else {
            list.append(
                UnansweredForm(
                    instanceID: id, exchange: exchange.id, at: exchange.startedAt,
                    events: form.events))
            index = list.count - 1
        }
        if let received = sides.received, Self.isAccepted(received) {
            let form = list.remove(at: index)
            _ = try? users[place].client.cases.submit(form.events, .tolerant)
            users[place].finished.insert(ExactText(id))
        } else if isAccepted {
            list[index].outcome = .accepted
        } else if let received = sides.received, (200..<300).contains(received.status),
            Self.nature(received) == nil
        {
            list[index].outcome = .unconfirmed(status: received.status)
        } else if let received = sides.received {
            list[index].outcome = .refused(status: received.status)
        } else if list[index].outcome != .accepted {
            list[index].outcome = sides.reached ? .unanswered : .lost
        }
        users[place].unanswered = list
    }

    /// Notes whether the server let the user in.
    private mutating func note(_ asker: UserDirectory.Asker, _ sides: ExchangeSides) {
        guard keepsHistory, sides.reached, let status = sides.sent?.status,
            let credential = asker.authorization.map({ ExactText($0) })
        else { return }
        switch status {
        case 401, 406: refusedCredentials[credential] = status
        case 200..<300: refusedCredentials[credential] = nil
        default: break
        }
    }

    /// Notes that the server refused a form for what is in it.
    private mutating func refuse(
        _ form: FormDocument, _ id: String, of place: Int, _ sent: ExchangeSides.Response
    ) {
        let events = CommCareReader.read(Array(sent.message.body.prefix(64 << 10))).events
        let message = events.lazy.compactMap { event in
            if case .message(let message) = event { return message }
            return nil
        }.first
        guard let message, sent.status == 422 || message.knownNature == .submitError else { return }
        let domain = users[place].domain
        var state = takeDomain(domain)
        defer { domains[domain] = state }
        state.history?.refusedForms[ExactText(id)] = .init(
            form: .init(instanceID: id, fingerprint: form.fingerprint), reason: message.text)
    }

    /// The server has taken a form.
    private mutating func accept(
        _ form: FormDocument, _ id: String, of place: Int, token: String?
    ) {
        let domain = users[place].domain
        var state = takeDomain(domain)
        defer { domains[domain] = state }
        // The same form again is not a second one.
        guard state.forms.insert(ExactText(id)).inserted else { return }
        state.history?.refusedForms[ExactText(id)] = nil
        state.history?.forms.append(.init(instanceID: id, fingerprint: form.fingerprint))
        if users[place].server.userID == nil {
            users[place].server.userID =
                form.blocks.lazy.compactMap(\.userID).first { !$0.isEmpty }
        }
        for event in form.events {
            switch event {
            case .caseBlock(let block): state.apply(block, from: .submission, order)
            case .ledger(let block):
                _ = try? state.cases.apply(block, .tolerant)
                state.history?.apply(block, order)
            default: continue
            }
        }
        guard let token,
            let index = users[place].server.logs.lastIndex(where: { $0.token == token })
        else { return }
        if users[place].client.owners == nil {
            for block in form.blocks {
                let owners = [
                    block.create.flatMap { $0.ownerID ?? block.userID },
                    block.update?.last { $0.name == "owner_id" }?.value,
                ]
                users[place].server.logs[index].log.ownerIDs.formUnion(
                    owners.compactMap(\.self).map(ExactText.init))
            }
        }
        users[place].server.logs[index].log.apply(form.blocks)
    }

    /// What a server holds of a project, taken out so that changing it copies nothing.
    private mutating func takeDomain(_ name: String) -> DomainState {
        if let state = domains.removeValue(forKey: name) { return state }
        var state = DomainState(name: name)
        if keepsHistory { state.history = ProjectHistory() }
        return state
    }

    /// Whether a response to a form confirms that the server has it: a success with an
    /// OpenRosaResponse, or without any body.
    private static func isAccepted(_ response: ExchangeSides.Response) -> Bool {
        switch nature(response) {
        case nil, .error: false
        case .stored: true
        case .asItsStatus: (200..<300).contains(response.status)
        }
    }

    /// What the body of a response to a form says of it.
    private enum FormAnswer {
        case asItsStatus
        case stored
        case error
    }

    /// What the body of a response says; nil where it is no answer of a CommCare server.
    private static func nature(_ response: ExchangeSides.Response) -> FormAnswer? {
        let body = response.message.body.prefix(64 << 10)
        if body.allSatisfy({ $0 <= 0x20 }) { return .asItsStatus }
        var isAnswer = false
        for event in CommCareReader.read(Array(body)).events {
            switch event {
            case .response: isAnswer = true
            case .message(let message):
                switch message.knownNature {
                case .submitError, .processingFailure: return .error
                case .postProcessingFailure: return .stored
                case _?: isAnswer = true
                case nil: continue
                }
            default: continue
            }
        }
        return isAnswer ? .asItsStatus : nil
    }

    /// How the hash that a device sends differs from that of the cases that it holds by the trace.
    ///
    /// - Returns: Nil where they agree, with or without what unaccepted forms did to the cases, or
    ///   where the trace does not have all cases of the device.
    private func mismatch(
        _ state: String, of user: UserState, _ exchange: ExchangeID
    ) -> SentStateMismatch? {
        guard user.client.isComplete, let sent = try? CaseStateHash(parsing: state) else {
            return nil
        }
        var local = user.local
        _ = try? local.purge(owners: user.client.owners)
        let accepted = user.nextState
        guard sent != local.stateHash, sent != accepted else { return nil }
        let known = domains[user.domain]?.cases.cases.keys.map(\.string) ?? []
        return SentStateMismatch(
            sent: sent, expected: accepted, exchange: exchange,
            explanation: CaseStateExplanation.explain(
                sent: sent, predicted: accepted,
                predictedIDs: Set(purged(user).cases.keys),
                seen: known.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                    + local.cases.keys.map(\.string).sorted()))
    }

    private func purged(_ user: UserState) -> CaseSet {
        var cases = user.client.cases
        _ = try? cases.purge(owners: user.client.owners)
        return cases
    }
}

extension DomainState {
    fileprivate mutating func apply(
        _ block: CaseBlock, from source: CaseSet.Source, _ order: Int
    ) {
        guard let id = block.caseID else { return }
        let before = history == nil ? nil : cases[id]
        _ = try? cases.apply(block, from: source, .tolerant)
        touched[ExactText(id)] = order
        // Another device may receive a case as this one has it.
        if history != nil, cases[id] != before { history?.changed[ExactText(id)] = order }
    }
}

extension ExchangeSides {
    /// The sync token that the server got with a form.
    fileprivate func arrivedToken(_ asker: UserDirectory.Asker) -> String? {
        guard let arrived else { return asker.token }
        return arrived.value("x-commcarehq-lastsynctoken")
    }
}

extension RecordedExchange {
    fileprivate var since: String? {
        FormField.parse((query ?? "").utf8).last { $0.name == "since" }?.value
    }
}
