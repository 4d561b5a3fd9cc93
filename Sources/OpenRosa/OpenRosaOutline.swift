/// Follows a document and keeps its outline.
///
/// A stack of roles says what each open element is; what has no role is skipped with all it holds,
/// by counting alone.
final class OpenRosaOutline: XMLEventHandler {
    /// What an open element is.
    enum Role: UInt8 {
        case envelope
        case sync
        case registration
        case userData
        case formList
        case manifest
        /// The root of a form, or of a document that may be one.
        case form
        /// Anything inside a form.
        case answer
        case meta
        case caseBlock
        case create
        case indices
        case attachments
        /// An element whose text is kept.
        case text
    }

    /// Where a kept text goes.
    enum Field {
        case message
        case restoreID
        case username
        case uuid
        case date
        case caseID
        case indexTarget
        case meta(WritableKeyPath<OpenRosaDocument.Meta, String?>)
    }

    /// The case block that is being read.
    struct Block {
        var id: String?
        var isVersion2: Bool
        var hasDate: Bool
        var creates = false
        var updates = false
        var closes = false
        var hasType = false
        var hasName = false
        var indices = 0
        var attachments = 0
        var position: XMLPosition
    }

    private let purpose: OpenRosaReader.Purpose
    // Safety: the stream calls one event at a time, and no event leads to another.
    @exclusivity(unchecked) var document = OpenRosaDocument()
    @exclusivity(unchecked) private var words: [(word: OpenRosaWord, space: OpenRosaSpace)?] = []
    @exclusivity(unchecked) private var roles: [Role] = []
    @exclusivity(unchecked) private var skipped = 0
    @exclusivity(unchecked) private var field: Field?
    @exclusivity(unchecked) private var text: [UInt8] = []
    @exclusivity(unchecked) var block: Block?
    @exclusivity(unchecked) private var isForm = false
    @exclusivity(unchecked) private var isRestore = false
    @exclusivity(unchecked) private var messages = 0
    @exclusivity(unchecked) private var registrationStep = 0
    @exclusivity(unchecked) private var syncChildren = 0
    @exclusivity(unchecked) private var restoreIDs = 0
    @exclusivity(unchecked) private var instanceIDs = 0
    @exclusivity(unchecked) private var schemaIDs: Set<String> = []

    /// An outline of nothing yet.
    init(purpose: OpenRosaReader.Purpose) { self.purpose = purpose }

    func start(_ tag: borrowing XMLTag) {
        if skipped > 0 {
            skipped += 1
            return
        }
        if let role = role(of: tag) {
            roles.append(role)
        } else {
            skipped = 1
        }
        tag.stream.deliversText = roles.last == .text && skipped == 0
    }

    func end(_ tag: borrowing XMLTag) {
        if skipped > 0 {
            skipped -= 1
        } else if let role = roles.popLast() {
            ended(role)
        }
        tag.stream.deliversText = roles.last == .text && skipped == 0
    }

    func text(_ bytes: borrowing Span<UInt8>) {
        let room = OpenRosaDocument.longestText - text.count
        for index in 0..<min(room, bytes.count) { text.append(bytes[index]) }
    }

    // MARK: Roles

    private func known(_ tag: borrowing XMLTag) -> (word: OpenRosaWord, space: OpenRosaSpace) {
        let symbol = tag.symbol
        if symbol >= 0, symbol < words.count, let known = words[symbol] { return known }
        let name = tag.name
        let known = (OpenRosaWord(name.local), OpenRosaSpace(name.namespace))
        if symbol >= 0 {
            while words.count <= symbol { words.append(nil) }
            words[symbol] = known
        }
        return known
    }

    /// The role of an element that begins; nil where nothing in it matters.
    private func role(of tag: borrowing XMLTag) -> Role? {
        let (word, space) = known(tag)
        guard let parent = roles.last else { return root(tag, word, space) }
        if roles.count == 1 { document.children += 1 }
        switch parent {
        case .envelope: return payload(tag, word, space)
        case .sync: return inSync(tag, word)
        case .registration: return inRegistration(tag, word)
        case .userData:
            if word == .data { document.registration?.data += 1 }
            return nil
        case .formList:
            if word == .listedForm || word == .oldListedForm { document.forms += 1 }
            return nil
        case .manifest:
            if word == .mediaFile { document.mediaFiles += 1 }
            return nil
        case .form, .answer: return inForm(tag, word, space, isRoot: parent == .form)
        case .meta: return inMeta(tag)
        case .caseBlock: return inCase(tag, word)
        case .create: return inCreate(word)
        case .indices:
            block?.indices += 1
            if let relationship = tag["relationship"],
                relationship != "child", relationship != "extension"
            {
                note(
                    "openrosa.index-relationship", "relationship \"\(relationship)\"", tag.position)
            }
            return keep(.indexTarget)
        case .attachments:
            block?.attachments += 1
            return nil
        case .text: return nil
        }
    }

    private func root(
        _ tag: borrowing XMLTag, _ word: OpenRosaWord, _ space: OpenRosaSpace
    ) -> Role? {
        let name = tag.name
        document.root = bounded(name.local)
        document.namespace = name.namespace.map(bounded)
        switch word {
        case .response:
            expect(.response, space, tag)
            document.kind = .response
            document.items = tag["items"].map(bounded)
            return .envelope
        case .formList:
            expect(.formList, space, tag)
            document.kind = .formList
            return .formList
        case .oldFormList where space == .none:
            document.kind = .formList
            return .formList
        case .manifest where space == .manifest || space == .none:
            expect(.manifest, space, tag)
            document.kind = .manifest
            return .manifest
        default:
            isForm = purpose == .submission
            document.form = OpenRosaDocument.Form(
                name: tag["name"].map(bounded), version: tag["version"].map(bounded),
                uiVersion: tag["uiVersion"].map(bounded), id: tag["id"].map(bounded))
            return .form
        }
    }

    private func payload(
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
        case .fixture:
            fixture(tag)
            return nil
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

    private func inSync(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
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

    private func inRegistration(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
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

    private func fixture(_ tag: borrowing XMLTag) {
        isRestore = true
        document.fixtures += 1
        guard let id = tag["id"], !id.isEmpty else {
            note("openrosa.fixture-id-missing", "a fixture without id", tag.position)
            return
        }
        if document.fixtureIDs.count < OpenRosaDocument.longestList {
            document.fixtureIDs.append(bounded(id))
        }
        if tag["indexed"] == "true", !schemaIDs.contains(bounded(id)),
            document.schemas < OpenRosaDocument.longestList
        {
            note("openrosa.fixture-schema-missing", "fixture \"\(bounded(id))\"", tag.position)
        }
    }

    private func ledger(_ word: OpenRosaWord) -> Role? {
        if document.kind == .response { isRestore = true }
        if word == .balance { document.balances += 1 }
        if word == .transfer { document.transfers += 1 }
        return nil
    }

    private func inForm(
        _ tag: borrowing XMLTag, _ word: OpenRosaWord, _ space: OpenRosaSpace, isRoot: Bool
    ) -> Role? {
        if space == .ledger { return ledger(word) }
        if word == .caseBlock { return openCase(tag, space) }
        guard isRoot, word == .meta, document.form?.meta == nil else { return .answer }
        isForm = true
        let namespace = tag.name.namespace.map(bounded)
        document.form?.meta = OpenRosaDocument.Meta(namespace: namespace)
        if space != .meta, namespace != document.namespace {
            note("openrosa.meta-namespace", "namespace \"\(namespace ?? "")\"", tag.position)
        }
        return .meta
    }

    private func inMeta(_ tag: borrowing XMLTag) -> Role? {
        switch tag.name.local {
        case "instanceID":
            instanceIDs += 1
            guard instanceIDs == 1 else {
                note("openrosa.instance-id-repeated", "instanceID \(instanceIDs)", tag.position)
                return nil
            }
            return keep(.meta(\.instanceID))
        case "deprecatedID": return keep(.meta(\.deprecatedID))
        case "deviceID": return keep(.meta(\.deviceID))
        case "timeStart": return keep(.meta(\.timeStart))
        case "timeEnd": return keep(.meta(\.timeEnd))
        case "username": return keep(.meta(\.username))
        case "userID": return keep(.meta(\.userID))
        case "appVersion", "commcare_version": return keep(.meta(\.appVersion))
        case "drift": return keep(.meta(\.drift))
        default: return nil
        }
    }

    // MARK: Cases

    private func openCase(_ tag: borrowing XMLTag, _ space: OpenRosaSpace) -> Role? {
        let id = tag["case_id"]
        if id != nil, space != .case2 {
            note("openrosa.case-namespace", "a block with case_id outside", tag.position)
        }
        block = Block(
            id: id.map(bounded), isVersion2: id != nil || space == .case2,
            hasDate: tag["date_modified"] != nil, position: tag.position)
        return .caseBlock
    }

    private func inCase(_ tag: borrowing XMLTag, _ word: OpenRosaWord) -> Role? {
        switch word {
        case .create:
            block?.creates = true
            return .create
        case .update:
            block?.updates = true
            return nil
        case .close:
            block?.closes = true
            return nil
        case .index: return .indices
        case .attachment: return .attachments
        case .caseID where block?.isVersion2 == false: return keep(.caseID)
        case .dateModified:
            if block?.isVersion2 == false { block?.hasDate = true }
            return nil
        // A question named "case" may hold more questions, and blocks among them.
        case .caseBlock where block?.isVersion2 == false && block?.id == nil:
            return openCase(tag, known(tag).space)
        default: return nil
        }
    }

    private func inCreate(_ word: OpenRosaWord) -> Role? {
        if word == .caseType || word == .caseTypeID { block?.hasType = true }
        if word == .caseName { block?.hasName = true }
        return nil
    }

    private func closeCase() {
        guard let block else { return }
        self.block = nil
        // In a form, an element of this name without an identifier is a question.
        if document.kind != .response, !block.isVersion2, block.id == nil { return }
        if document.kind != .response { isForm = true }
        document.cases.blocks += 1
        if block.isVersion2 { document.cases.version2 += 1 } else { document.cases.version1 += 1 }
        document.cases.creates += block.creates ? 1 : 0
        document.cases.updates += block.updates ? 1 : 0
        document.cases.closes += block.closes ? 1 : 0
        document.cases.indices += block.indices
        document.cases.attachments += block.attachments
        if let id = block.id, !id.isEmpty {
            if document.cases.ids.count < OpenRosaDocument.longestList {
                document.cases.ids.append(id)
            }
        } else {
            note("openrosa.case-id-missing", "case block \(document.cases.blocks)", block.position)
        }
        if !block.hasDate {
            note("openrosa.case-date-missing", "case \(block.id ?? "")", block.position)
        }
        if block.creates, !block.hasType || !block.hasName {
            note("openrosa.create-incomplete", "case \(block.id ?? "")", block.position)
        }
    }

    // MARK: Texts

    private func keep(_ field: Field) -> Role {
        self.field = field
        text.removeAll(keepingCapacity: true)
        return .text
    }

    private func ended(_ role: Role) {
        if role == .caseBlock { closeCase() }
        guard role == .text, let field else { return }
        self.field = nil
        let value = Self.trimmed(text)
        switch field {
        case .message: document.message = value
        case .restoreID: document.restoreID = value
        case .username: document.registration?.username = value
        case .uuid: document.registration?.uuid = value
        case .date: document.registration?.date = value
        case .caseID: block?.id = value
        case .indexTarget:
            if let block, !value.isEmpty, value == block.id {
                note("openrosa.index-self", "case \(value)", block.position)
            }
        case .meta(let path): document.form?.meta?[keyPath: path] = value
        }
    }

    /// The text without white space around it; a character cut at the end is left out.
    static func trimmed(_ bytes: [UInt8]) -> String {
        var bytes = bytes[...]
        if bytes.count == OpenRosaDocument.longestText {
            while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
            if let last = bytes.last, last >= 0x80 { bytes.removeLast() }
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func bounded(_ text: String) -> String {
        guard text.utf8.count > OpenRosaDocument.longestText else { return text }
        return Self.trimmed(Array(text.utf8.prefix(OpenRosaDocument.longestText)))
    }

    // MARK: Notes

    private func note(_ code: String, _ says: String, _ position: XMLPosition? = nil) {
        guard !document.notes.contains(where: { $0.code == code }) else { return }
        document.notes.append(OpenRosaNote(code, bounded(says), at: position))
    }

    private func expect(
        _ expected: OpenRosaSpace, _ space: OpenRosaSpace, _ tag: borrowing XMLTag
    ) {
        guard space != expected else { return }
        if space == .none {
            note("openrosa.namespace-missing", "<\(bounded(tag.name.local))>", tag.position)
        } else {
            let name = bounded(tag.name.namespace ?? "")
            note(
                "openrosa.namespace-unexpected", "<\(bounded(tag.name.local))> in \"\(name)\"",
                tag.position)
        }
    }

    /// The document as it was, once nothing follows.
    func finish(problem: XMLError?, namespaceError: XMLError?) -> OpenRosaDocument {
        document.problem = problem
        if document.kind == .response {
            if isRestore || document.knownNature == .restoreSuccess { document.kind = .restore }
        } else if isForm, document.form != nil {
            document.kind = .form
        } else {
            document.form = nil
        }
        if let namespaceError {
            note(
                "openrosa.xml-namespace", namespaceError.reason.description, namespaceError.position
            )
        }
        // What is missing from a document that was cut is no fault of its own.
        if problem == nil { noteMissing() }
        return document
    }

    private func noteMissing() {
        if document.kind == .response || document.kind == .restore {
            if messages == 0 { note("openrosa.message-missing", "no message") }
            if let items = document.items {
                if let count = Int(items) {
                    if count != document.children {
                        note(
                            "openrosa.items-differ",
                            "items says \(count), there are \(document.children) children")
                    }
                } else {
                    note("openrosa.items-not-a-number", "items \"\(items)\"")
                }
            }
        }
        if document.kind == .restore, document.restoreID?.isEmpty ?? true {
            note("openrosa.restore-id-missing", "no restore_id")
        }
        if let registration = document.registration,
            registration.username == nil || registration.uuid == nil || registration.date == nil
                || !registration.hasPassword
        {
            note("openrosa.registration-incomplete", "a field of the registration is missing")
        }
        guard document.kind == .form else { return }
        if document.namespace == nil { note("openrosa.xmlns-missing", "no namespace") }
        if let meta = document.form?.meta {
            if meta.instanceID?.isEmpty ?? true {
                note("openrosa.instance-id-missing", "no instanceID")
            }
        } else {
            note("openrosa.meta-missing", "no meta")
        }
    }
}
