/// What answers of a server hold: messages, tokens, registrations, fixtures, progress.
extension CommCareFollower {
    /// The role of the root.
    func root(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        let position = tag.position
        begin()
        facts.rootName = Self.shortened(tag.name)
        facts.rootPosition = position
        let namespace = tag.name.namespace.map(bounded)
        facts.namespace = namespace
        switch known.word {
        case .response:
            expect(.response, known.space, tag)
            kind = .response
            facts.items = attribute("items", of: tag)
            emit(
                .response(
                    ResponseHead(
                        namespace: namespace, items: facts.items, isCut: isCut, position: position)),
                isCut: isCut)
            return .envelope
        case .formList:
            expect(.formList, known.space, tag)
            kind = .formList
            emit(.formList(ListHead(namespace: namespace, position: position)))
            return .formList
        case .oldFormList where known.space == .none:
            kind = .formList
            emit(.formList(ListHead(namespace: namespace, position: position)))
            return .formList
        case .manifest where known.space == .manifest || known.space == .none:
            expect(.manifest, known.space, tag)
            kind = .manifest
            emit(.manifest(ListHead(namespace: namespace, position: position)))
            return .manifest
        default:
            facts.candidate = FormInstance(
                root: bounded(known.local), namespace: namespace,
                name: attribute("name", of: tag), version: attribute("version", of: tag),
                uiVersion: attribute("uiVersion", of: tag), id: attribute("id", of: tag),
                position: position)
            facts.candidate?.isCut = isCut
            if purpose == .submission { becomeForm() }
            return .form
        }
    }

    /// The role of a child of the envelope.
    func inEnvelope(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        if known.space == .ledger { return openLedger(tag, known.word) }
        switch known.word {
        case .caseBlock:
            facts.isRestore = true
            return openCase(tag, known.space)
        case .message: return openMessage(tag)
        case .sync where [.sync, .none, .response].contains(known.space):
            expect(.sync, known.space, tag)
            return .sync
        case .progress:
            progress(tag)
            return nil
        case .registration:
            facts.isRestore = true
            facts.registrationStep = 0
            begin()
            registration = Registration(position: tag.position)
            return .registration
        case .schema:
            facts.schemas += 1
            begin()
            schema = FixtureSchema(id: attribute("id", of: tag), position: tag.position)
            if let id = schema?.id, facts.schemaIDs.count < CommCareFacts.longestList {
                let name = Self.shortened(id)
                if facts.schemaIDs.insert(name).inserted { facts.heldBytes += name.utf8.count }
            }
            return .schema
        case .fixture:
            openFixture(tag)
            return nil
        default: return passOver(tag)
        }
    }

    private func openMessage(_ tag: borrowing XMLTag) -> Role? {
        facts.messages += 1
        if facts.messages > 1 {
            note("openrosa.message-repeated", "message \(facts.messages)", tag.position)
        } else if children > 1 {
            note("openrosa.message-not-first", "the message is child \(children)", tag.position)
        }
        begin()
        let nature = attribute("nature", of: tag)
        if facts.messages == 1 { facts.nature = nature }
        if let nature, OpenRosaNature(rawValue: nature) == nil {
            note("openrosa.nature-unknown", "nature \"\(nature)\"", tag.position)
        }
        message = ResponseMessage(nature: nature, text: "", position: tag.position)
        return keep(.message)
    }

    /// Ends a message.
    func endMessage(_ text: String) {
        guard var message else { return }
        self.message = nil
        message.text = text
        message.isCut = isCut
        emit(.message(message), isCut: isCut)
    }

    private func progress(_ tag: borrowing XMLTag) {
        begin()
        var progress = RestoreProgress(
            done: attribute("done", of: tag), total: attribute("total", of: tag),
            retryAfter: attribute("retry-after", of: tag), position: tag.position)
        progress.isCut = isCut
        emit(.progress(progress), isCut: isCut)
        guard let done = progress.done.flatMap({ Int($0) }),
            let total = progress.total.flatMap({ Int($0) }), done >= 0, done <= total, total > 0
        else {
            let (done, total) = (progress.done ?? "none", progress.total ?? "none")
            note("openrosa.progress-malformed", "done \(done), total \(total)", tag.position)
            return
        }
    }

    /// The role of a child of `Sync`.
    func inSync(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        facts.syncChildren += 1
        if word == .progress { progress(tag) }
        guard word == .restoreID else { return nil }
        facts.isRestore = true
        facts.restoreIDs += 1
        if facts.restoreIDs > 1 {
            note("openrosa.restore-id-repeated", "restore_id \(facts.restoreIDs)", tag.position)
        } else if facts.syncChildren > 1 {
            note(
                "openrosa.restore-id-not-first", "child \(facts.syncChildren) of Sync", tag.position
            )
        }
        begin()
        restoreID = RestoreID("", position: tag.position)
        return keep(.restoreID)
    }

    /// Ends a `restore_id`.
    func endRestoreID(_ text: String) {
        guard var restoreID else { return }
        self.restoreID = nil
        restoreID.id = text
        restoreID.isCut = isCut
        if facts.restoreIDs == 1, !text.isEmpty { facts.hasRestoreID = true }
        emit(.restoreID(restoreID), isCut: isCut)
    }

    private func openFixture(_ tag: borrowing XMLTag) {
        facts.isRestore = true
        begin()
        let isIndexed = tag["indexed"] == "true"
        let fixture = Fixture(
            id: attribute("id", of: tag), userID: attribute("user_id", of: tag),
            isIndexed: isIndexed, position: tag.position)
        if let id = fixture.id, !id.isEmpty {
            if isIndexed, !facts.schemaIDs.contains(Self.shortened(id)),
                facts.schemas < CommCareFacts.longestList
            {
                note("openrosa.fixture-schema-missing", "fixture \"\(id)\"", tag.position)
            }
        } else {
            note("openrosa.fixture-id-missing", "a fixture without id", tag.position)
        }
        passing = .fixture(fixture)
        groups = fixture.id == Fixture.groupsID ? [] : nil
    }

    /// Keeps the identifier of a group of the user.
    func group(_ tag: borrowing XMLTag) {
        guard known(tag).local == "group", hasRoom(), let id = attribute("id", of: tag) else {
            return
        }
        groups?.append(id)
    }

    /// Ends a schema.
    func endSchema() {
        guard var schema else { return }
        self.schema = nil
        schema.isCut = isCut
        emit(.schema(schema), isCut: isCut)
    }

    /// Notes a root or child in another namespace than it belongs to.
    func expect(_ expected: OpenRosaSpace, _ space: OpenRosaSpace, _ tag: borrowing XMLTag) {
        guard space != expected else { return }
        if space == .none {
            note("openrosa.namespace-missing", "<\(tag.name.local)>", tag.position)
        } else {
            note(
                "openrosa.namespace-unexpected",
                "<\(tag.name.local)> in \"\(tag.name.namespace ?? "")\"", tag.position)
        }
    }
}
