/// Follows a document and makes events of it.
///
/// A stack of roles has the role of each open element; what has no role is skipped with all its
/// contents, by counting alone. At most one event is being made at any time.
final class CommCareFollower: XMLEventHandler {
    /// What an open element is.
    enum Role: UInt8 {
        case envelope, sync, registration, userData, schema, schemaIndices
        case formList, listedForm, manifest, mediaFile
        /// The root of a form, or of a document that may be one.
        case form
        /// Anything inside a form.
        case answer
        case meta
        case caseBlock, create, update, indices, attachments
        case ledger, entry
        /// An element whose text is kept.
        case text
    }

    /// Where a kept text goes.
    enum Field {
        case message, restoreID
        case username, uuid, date, phoneID, userDatum, schemaIndex
        case caseID, dateModified, userID
        case caseType, caseName, ownerID, externalID, createOther
        case property, indexTarget, quantity
        case meta(WritableKeyPath<FormMeta, String?>)
        case listedForm(WritableKeyPath<ListedForm, String?>)
        case mediaFile(WritableKeyPath<MediaFile, String?>)
        case metaOther, listedFormOther, mediaFileOther, oldForm
    }

    /// What the element is that is skipped, where it becomes an event.
    enum Passing {
        case fixture(Fixture)
        case other(OtherElement)
    }

    let purpose: OpenRosaReader.Purpose
    let bounds: CommCareBounds
    /// Whether answers that name files are looked for, which reads the text of every answer.
    let findsFiles: Bool
    private let handler: (CommCareEvent) -> Void

    // Safety of all that follows: the stream calls one event at a time, and none leads to another.

    // Where the document is.
    @exclusivity(unchecked) private var words: [Known?] = []
    @exclusivity(unchecked) private var roles: [Role] = []
    @exclusivity(unchecked) private var skipped = 0
    @exclusivity(unchecked) private var passed = 0
    @exclusivity(unchecked) var passing: Passing?
    /// Identifiers that the fixture with the user's groups has had so far; nil outside of it.
    @exclusivity(unchecked) var groups: [String]?
    @exclusivity(unchecked) var kind = OpenRosaDocument.Kind.xml
    @exclusivity(unchecked) var children = 0
    @exclusivity(unchecked) var elements = 0

    // The event that is being made.
    @exclusivity(unchecked) private var field: Field?
    @exclusivity(unchecked) private var fieldName = ""
    @exclusivity(unchecked) private var isNameCut = false
    @exclusivity(unchecked) private var text = KeptText()
    @exclusivity(unchecked) private var isNested = false
    @exclusivity(unchecked) private var spent = 0
    @exclusivity(unchecked) private var members = 0
    @exclusivity(unchecked) var isCut = false
    @exclusivity(unchecked) var message: ResponseMessage?
    @exclusivity(unchecked) var restoreID: RestoreID?
    @exclusivity(unchecked) var registration: Registration?
    @exclusivity(unchecked) var schema: FixtureSchema?
    @exclusivity(unchecked) var block: CaseBlock?
    @exclusivity(unchecked) var properties: [CaseBlock.Property] = []
    @exclusivity(unchecked) var index: CaseBlock.Index?
    @exclusivity(unchecked) var ledger: LedgerBlock?
    @exclusivity(unchecked) var entry: LedgerEntryState?
    @exclusivity(unchecked) var ledgerValue: LedgerBlock.Entry?
    @exclusivity(unchecked) var meta: FormMeta?
    @exclusivity(unchecked) var listedForm: ListedForm?
    @exclusivity(unchecked) var mediaFile: MediaFile?

    // What notes and the end need of the whole document.
    @exclusivity(unchecked) var facts = CommCareFacts()
    @exclusivity(unchecked) var answer: Answer?

    init(
        purpose: OpenRosaReader.Purpose, bounds: CommCareBounds, findsFiles: Bool = true,
        handler: @escaping (CommCareEvent) -> Void
    ) {
        self.purpose = purpose
        self.bounds = bounds
        self.findsFiles = findsFiles
        self.handler = handler
        facts.isForm = purpose == .submission
    }

    // MARK: Elements

    func start(_ tag: borrowing XMLTag) {
        if skipped > 0 {
            skipped += 1
            passed += 1
            if skipped == 3, groups != nil { group(tag) }
            return
        }
        if let role = role(of: tag) {
            roles.append(role)
            tag.stream.deliversText = role == .text || role == .answer && findsFiles
        } else {
            skipped = 1
            passed = 0
            tag.stream.deliversText = false
        }
    }

    func end(_ tag: borrowing XMLTag) {
        if skipped > 0 {
            skipped -= 1
            guard skipped == 0 else { return }
            if passing != nil { endPassing(tag.end) }
        } else if let role = roles.popLast() {
            ended(role)
        }
        tag.stream.deliversText = roles.last == .text
    }

    func text(_ bytes: borrowing Span<UInt8>) { text.append(bytes) }

    // MARK: Names

    /// The role of a name.
    struct Known {
        var word: OpenRosaWord
        var space: OpenRosaSpace
        var local: String
    }

    /// The word and the namespace of a tag, looked up once a name.
    func known(_ tag: borrowing XMLTag) -> Known {
        let symbol = tag.symbol
        if symbol >= 0, symbol < words.count, let known = words[symbol] { return known }
        let name = tag.name
        let known = Known(
            word: OpenRosaWord(name.local), space: OpenRosaSpace(name.namespace),
            local: name.local)
        if symbol >= 0 {
            while words.count <= symbol { words.append(nil) }
            words[symbol] = known
        }
        return known
    }

    // MARK: Roles

    /// The role of an element that begins; nil where it is skipped.
    private func role(of tag: borrowing XMLTag) -> Role? {
        let known = known(tag)
        guard let parent = roles.last else { return root(tag, known) }
        elements += 1
        if roles.count == 1 { children += 1 }
        switch parent {
        case .update: return keep(.property, named: known.local)
        case .envelope: return inEnvelope(tag, known)
        case .sync: return inSync(tag, known.word)
        case .registration: return inRegistration(tag, known.word)
        case .userData: return inUserData(tag, known.word)
        case .schema: return known.word == .indices ? .schemaIndices : nil
        case .schemaIndices: return known.word == .index ? keep(.schemaIndex) : nil
        case .formList: return inFormList(tag, known)
        case .listedForm: return inListedForm(known.local)
        case .manifest: return inManifest(tag, known)
        case .mediaFile: return inMediaFile(known.local)
        case .form, .answer: return inForm(tag, known, isRoot: parent == .form)
        case .meta: return inMeta(tag, known.local)
        case .caseBlock: return inCase(tag, known)
        case .create: return inCreate(tag, known)
        case .indices: return inIndices(tag, known)
        case .attachments: return inAttachments(tag, known)
        case .ledger: return inLedger(tag, known.word)
        case .entry: return inEntry(tag, known.word)
        case .text: return inText(tag)
        }
    }

    private func inText(_ tag: borrowing XMLTag) -> Role? {
        if case .property? = field, !isNested {
            isNested = true
            note("openrosa.property-nested", "property \(fieldName)", tag.position)
        }
        return nil
    }

    private func ended(_ role: Role) {
        switch role {
        case .text: endText()
        case .update: endUpdate()
        case .caseBlock: endCase()
        case .ledger: endLedger()
        case .entry: endEntry()
        case .answer: endAnswer()
        case .registration: endRegistration()
        case .schema: endSchema()
        case .meta: endMeta()
        case .listedForm: endListedForm()
        case .mediaFile: endMediaFile()
        case .envelope, .sync, .userData, .schemaIndices, .formList, .manifest, .form, .create,
            .indices, .attachments:
            break
        }
    }

    // MARK: Texts

    /// Begins an event.
    func begin() {
        spent = 0
        members = 0
        isCut = false
    }

    /// Keeps the text of the element that begins; nil where the event has enough members.
    func keep(_ field: Field, named name: String = "") -> Role? {
        guard hasRoom() else { return nil }
        self.field = field
        fieldName = bounded(name)
        isNameCut = fieldName.utf8.count < name.utf8.count
        beginText(atMost: min(bounds.text, bounds.event - spent))
        return .text
    }

    /// Begins a text of at most `longest` bytes.
    func beginText(atMost longest: Int) {
        text.begin(atMost: longest)
        isNested = false
    }

    /// Whether the event may have one more member.
    func hasRoom() -> Bool {
        members += 1
        if members > bounds.members || spent >= bounds.event { isCut = true }
        return members <= bounds.members && spent < bounds.event
    }

    /// The text that ended, without white space around it; nil where it was cut.
    func wholeText() -> String? {
        text.isCut ? nil : takeText()
    }

    /// The text that ended, under the name of its element.
    func property(_ value: String) -> CaseBlock.Property {
        CaseBlock.Property(fieldName, value, isCut: text.isCut || isNameCut)
    }

    private func takeText() -> String {
        if text.isCut { isCut = true }
        let value = text.value
        spent += value.utf8.count
        return value
    }

    private func endText() {
        guard let field else { return }
        self.field = nil
        let value = takeText()
        switch field {
        case .property: endProperty(value)
        case .message: endMessage(value)
        case .restoreID: endRestoreID(value)
        case .username: registration?.username = value
        case .uuid: registration?.uuid = value
        case .date: registration?.date = value
        case .phoneID: registration?.phoneID = value
        case .userDatum: registration?.userData?.append(property(value))
        case .schemaIndex: schema?.indices.append(value)
        case .caseID, .dateModified, .userID, .caseType, .caseName, .ownerID, .externalID,
            .createOther:
            endCaseField(field, value)
        case .indexTarget: endIndex(value)
        case .quantity: endQuantity(value)
        case .meta(let path): meta?[keyPath: path] = value
        case .metaOther: meta?.others.append(property(value))
        case .listedForm(let path): listedForm?[keyPath: path] = value
        case .listedFormOther: listedForm?.others.append(property(value))
        case .oldForm:
            listedForm?.name = value
            endListedForm()
        case .mediaFile(let path): mediaFile?[keyPath: path] = value
        case .mediaFileOther: mediaFile?.others.append(property(value))
        }
    }

    /// As much of `text` as the event may hold.
    func bounded(_ text: String) -> String {
        let room = min(bounds.text, bounds.event - spent)
        let count = text.utf8.count
        guard count > room else {
            spent += count
            return text
        }
        isCut = true
        let part = Self.shortened(text, to: max(0, room))
        spent += part.utf8.count
        return part
    }

    /// The value of an attribute, as much as the event may hold.
    func attribute(_ name: StaticString, of tag: borrowing XMLTag) -> String? {
        guard let value = tag[name] else { return nil }
        return bounded(value)
    }

    // MARK: Events

    /// Bytes of the event that is being made and of what is kept, roughly.
    var heldBytes: Int {
        text.count + spent + MemoryLayout<CaseBlock.Property>.stride * members + facts.heldBytes
    }

    /// Reports an event; `isCut` where it is incomplete.
    func emit(_ event: CommCareEvent, isCut: Bool = false) {
        spent = 0
        members = 0
        handler(event)
        if isCut { note("openrosa.cut", "more than is kept of one event", event.position) }
    }

    /// Notes what is odd.
    func note(_ code: String, _ detail: String, _ position: XMLPosition? = nil) {
        handler(.note(OpenRosaNote(code, Self.shortened(detail), at: position)))
    }

    /// Begins to pass over an element that becomes an event once it ends.
    func passOver(_ tag: borrowing XMLTag) -> Role? {
        passing = .other(OtherElement(Self.shortened(tag.name), position: tag.position))
        return nil
    }

    private func endPassing(_ end: XMLPosition) {
        let passing = passing
        self.passing = nil
        switch passing {
        case .fixture(var fixture):
            fixture.elements = passed
            fixture.groups = groups
            fixture.isCut = isCut
            groups = nil
            fixture.bytes = fixture.position.offset..<max(fixture.position.offset, end.offset)
            emit(.fixture(fixture), isCut: isCut)
        case .other(var other):
            other.elements = passed
            other.bytes = other.position.offset..<max(other.position.offset, end.offset)
            emit(.other(other))
        case nil: break
        }
    }
}
