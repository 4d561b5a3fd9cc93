/// What answers of a server hold: messages, registrations, fixtures, progress.
extension OpenRosaOutline {
    /// The role of a child of the envelope.
    func payload(
        _ tag: borrowing XMLTag, _ word: OpenRosaWord, _ space: OpenRosaSpace
    ) -> Role? {
        if space == .ledger { return ledger(word) }
        switch word {
        case .message: return message(tag)
        case .sync where space == .sync || space == .none || space == .response:
            expect(.sync, space, tag)
            return .sync
        case .progress:
            progress(tag)
            return nil
        case .registration:
            isRestore = true
            document.registration = OpenRosaDocument.Registration()
            registrationStep = 0
            return .registration
        case .schema:
            document.schemas += 1
            if let id = tag["id"], schemaIDs.count < OpenRosaDocument.longestList {
                schemaIDs.insert(bounded(id))
            }
            return nil
        case .fixture: return fixture(tag)
        case .caseBlock:
            isRestore = true
            return openCase(tag, space)
        default: return nil
        }
    }

    private func message(_ tag: borrowing XMLTag) -> Role? {
        messages += 1
        guard messages == 1 else {
            note("openrosa.message-repeated", "a second message", tag.position)
            return nil
        }
        if document.children > 1 {
            note(
                "openrosa.message-not-first", "the message is child \(document.children)",
                tag.position)
        }
        document.nature = tag["nature"].map(bounded)
        if let nature = document.nature, document.knownNature == nil {
            note("openrosa.nature-unknown", "nature \"\(nature)\"", tag.position)
        }
        return keep(.message)
    }

    private func progress(_ tag: borrowing XMLTag) {
        let progress = OpenRosaDocument.Progress(
            done: tag["done"].map(bounded), total: tag["total"].map(bounded),
            retryAfter: tag["retry-after"].map(bounded))
        document.progress = progress
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
        syncChildren += 1
        if word == .progress { progress(tag) }
        guard word == .restoreID else { return nil }
        isRestore = true
        restoreIDs += 1
        if restoreIDs > 1 {
            note("openrosa.restore-id-repeated", "restore_id \(restoreIDs)", tag.position)
            return nil
        }
        if syncChildren > 1 {
            note("openrosa.restore-id-not-first", "child \(syncChildren) of Sync", tag.position)
        }
        return keep(.restoreID)
    }

    /// The role of a child of `Registration`.
    func inRegistration(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        let order: [OpenRosaWord] = [.username, .password, .uuid, .date]
        if let place = order.firstIndex(of: word) {
            if place != registrationStep {
                note("openrosa.registration-order", "\(word.rawValue) out of order", tag.position)
            }
            registrationStep = place + 1
        }
        switch word {
        case .username: return keep(.username)
        case .uuid: return keep(.uuid)
        case .date: return keep(.date)
        case .password:
            document.registration?.hasPassword = true
            return nil
        case .userData: return .userData
        default: return nil
        }
    }

    /// The role of a fixture.
    ///
    /// Source: reference/commcare-in-practice.md, 2.2.
    private func fixture(_ tag: borrowing XMLTag) -> Role? {
        isRestore = true
        document.fixtures += 1
        guard let id = tag["id"], !id.isEmpty else {
            note("openrosa.fixture-id-missing", "a fixture without id", tag.position)
            return nil
        }
        if document.fixtureIDs.count < OpenRosaDocument.longestList {
            document.fixtureIDs.append(bounded(id))
        }
        if tag["indexed"] == "true", !schemaIDs.contains(bounded(id)),
            document.schemas < OpenRosaDocument.longestList
        {
            note("openrosa.fixture-schema-missing", "fixture \"\(bounded(id))\"", tag.position)
        }
        guard id == "user-groups" else { return nil }
        document.groups = []
        return .groupFixture
    }

    /// Keeps the identifier of a group.
    func group(_ tag: borrowing XMLTag) {
        guard tag.name.local == "group", let id = tag["id"],
            document.groups?.count ?? 0 < OpenRosaDocument.longestList
        else { return }
        document.groups?.append(bounded(id))
    }
}
