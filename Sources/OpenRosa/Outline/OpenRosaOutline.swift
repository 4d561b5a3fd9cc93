/// Folds the events of a document into what the document is and holds, in bounded size.
final class OpenRosaOutline {
    private(set) var document = OpenRosaDocument()
    /// Outlines of case blocks that were not consumed yet.
    private var cases: [CaseOutline] = []
    /// How many more outlines of case blocks are requested.
    private var caseRoom: Int
    private var hasMessage = false

    /// How much of one event is kept for an outline.
    ///
    /// A text may be a property, of which ``OpenRosaDocument/longestProperties`` bytes are kept;
    /// an event also has identifiers, indices and attachments.
    static let bounds = CommCareBounds(
        text: OpenRosaDocument.longestProperties, event: 3 * OpenRosaDocument.longestProperties,
        members: OpenRosaDocument.longestProperties)

    /// An outline of nothing yet, which will have those of up to `caseBlocks` case blocks.
    init(caseBlocks: Int) { caseRoom = caseBlocks }

    /// Gives the outlines of the case blocks since the last time, in order, and drops them.
    func takeCases() -> [CaseOutline] {
        defer { cases.removeAll(keepingCapacity: true) }
        return cases
    }

    // MARK: Events

    /// Adds the next event of the document.
    func take(_ event: CommCareEvent) {
        switch event {
        case .response(let head): document.items = head.items.map(Self.bounded)
        case .message(let message):
            guard !hasMessage else { return }
            hasMessage = true
            document.nature = message.nature.map(Self.bounded)
            document.message = Self.bounded(message.text)
        case .restoreID(let restore):
            document.restoreID = document.restoreID ?? Self.bounded(restore.id)
        case .progress(let progress):
            document.progress = OpenRosaDocument.Progress(
                done: progress.done.map(Self.bounded), total: progress.total.map(Self.bounded),
                retryAfter: progress.retryAfter.map(Self.bounded))
        case .registration(let registration):
            document.registration = OpenRosaDocument.Registration(
                username: registration.username.map(Self.bounded),
                uuid: registration.uuid.map(Self.bounded),
                date: registration.date.map(Self.bounded), hasPassword: registration.hasPassword,
                data: registration.userData?.count ?? 0)
        case .schema: document.schemas += 1
        case .fixture(let fixture): take(fixture)
        case .caseBlock(let block): take(block)
        case .ledger(let ledger):
            switch ledger.kind {
            case .balance: document.balances += 1
            case .transfer: document.transfers += 1
            }
        case .form(let form):
            document.form = OpenRosaDocument.Form(
                name: form.name.map(Self.bounded), version: form.version.map(Self.bounded),
                uiVersion: form.uiVersion.map(Self.bounded), id: form.id.map(Self.bounded))
        case .meta(let meta): document.form?.meta = OpenRosaDocument.Meta(meta)
        case .listedForm: document.forms += 1
        case .mediaFile: document.mediaFiles += 1
        case .note(let note): take(note)
        case .file, .formList, .manifest, .other, .end: break
        }
    }

    /// Adds the event that was incomplete when the document broke off.
    ///
    /// A case block that is not complete changes nothing, and is not counted.
    func take(begun event: CommCareEvent) {
        switch event {
        case .caseBlock, .restoreID: break
        case .message(let message):
            if !hasMessage { document.nature = message.nature.map(Self.bounded) }
        default: take(event)
        }
    }

    private func take(_ fixture: Fixture) {
        document.fixtures += 1
        if let id = fixture.id, !id.isEmpty,
            document.fixtureIDs.count < OpenRosaDocument.longestList
        {
            document.fixtureIDs.append(Self.bounded(id))
        }
        if let groups = fixture.groups {
            document.groups = groups.prefix(OpenRosaDocument.longestList).map(Self.bounded)
        }
    }

    private func take(_ block: CaseBlock) {
        document.cases.blocks += 1
        switch block.version {
        case .one: document.cases.version1 += 1
        case .two: document.cases.version2 += 1
        }
        document.cases.creates += block.create != nil ? 1 : 0
        document.cases.updates += block.update != nil ? 1 : 0
        document.cases.closes += block.isClosed ? 1 : 0
        document.cases.indices += block.indices.count
        document.cases.attachments += block.attachments.count
        if let id = block.caseID, !id.isEmpty,
            document.cases.ids.count < OpenRosaDocument.longestList
        {
            document.cases.ids.append(Self.bounded(id))
        }
        guard caseRoom > 0 else { return }
        caseRoom -= 1
        cases.append(CaseOutline(block))
    }

    /// Notes what is odd, once a kind.
    private func take(_ note: OpenRosaNote) {
        guard !document.notes.contains(where: { $0.code == note.code }) else { return }
        document.notes.append(note)
    }

    // MARK: The end

    /// Adds what is known of the document as a whole, at its end.
    func finish(_ follower: CommCareFollower) {
        document.kind = follower.documentKind
        document.root = follower.facts.rootName.local
        document.namespace = follower.facts.namespace.map(Self.bounded)
        document.children = follower.children
    }

    /// The document broke off, or is not decoded any further.
    func fail(with problem: XMLError, namespaceError: XMLError?) {
        document.problem = problem
        if let namespaceError { take(OpenRosaNote(namespaceError)) }
        if problem.reason.isBudget {
            take(
                OpenRosaNote(
                    "openrosa.too-much", "what follows is not decoded: \(problem.reason)",
                    at: problem.position))
        }
    }

    /// As much of `text` as is kept of any, without white space at its end.
    static func bounded(_ text: String) -> String {
        guard text.utf8.count > OpenRosaDocument.longestText else { return text }
        var bytes = Array(CommCareFollower.shortened(text).utf8)
        while let last = bytes.last, KeptText.isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension OpenRosaDocument.Meta {
    /// The `meta` block of an event, in bounded size.
    fileprivate init(_ meta: FormMeta) {
        self.init(
            namespace: meta.namespace.map(OpenRosaOutline.bounded),
            instanceID: meta.instanceID.map(OpenRosaOutline.bounded),
            deprecatedID: meta.deprecatedID.map(OpenRosaOutline.bounded),
            deviceID: meta.deviceID.map(OpenRosaOutline.bounded),
            timeStart: meta.timeStart.map(OpenRosaOutline.bounded),
            timeEnd: meta.timeEnd.map(OpenRosaOutline.bounded),
            username: meta.username.map(OpenRosaOutline.bounded),
            userID: meta.userID.map(OpenRosaOutline.bounded),
            appVersion: meta.appVersion.map(OpenRosaOutline.bounded),
            drift: meta.drift.map(OpenRosaOutline.bounded))
    }
}
