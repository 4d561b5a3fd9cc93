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
        case update
        case indices
        case attachments
        /// The fixture `user-groups`.
        case groupFixture
        case groups
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
        case dateModified
        case userID
        case created(WritableKeyPath<Naming, String?>)
        case updated(WritableKeyPath<Naming, String?>)
        case indexTarget
        /// A property without a field of its own, of `create` or of `update`.
        case createOther, updateOther
        case meta(WritableKeyPath<OpenRosaDocument.Meta, String?>)
    }

    /// What `create` or `update` says of a case.
    struct Naming {
        var type: String?
        var name: String?
        var owner: String?
        var others: [CaseBlock.Property] = []
    }

    /// The case block that is being read.
    struct Block {
        var outline = CaseOutline()
        var isVersion2: Bool
        var hasDate: Bool
        var hasType = false
        var hasName = false
        var indices = 0
        var attachments = 0
        var position: XMLPosition
        /// Whether its outline is asked for.
        var isKept: Bool
        var created = Naming()
        var updated = Naming()
        /// Bytes that properties may still have; negative behind the first that did not fit.
        var propertyRoom = OpenRosaDocument.longestProperties
    }

    private let purpose: OpenRosaReader.Purpose
    // Safety: the stream calls one event at a time, and no event leads to another.
    @exclusivity(unchecked) var document = OpenRosaDocument()
    @exclusivity(unchecked) private var words: [(word: OpenRosaWord, space: OpenRosaSpace)?] = []
    @exclusivity(unchecked) private var roles: [Role] = []
    @exclusivity(unchecked) private var skipped = 0
    @exclusivity(unchecked) private var field: Field?
    @exclusivity(unchecked) private var text: [UInt8] = []
    @exclusivity(unchecked) private var longestText = 0
    @exclusivity(unchecked) private var isTextCut = false
    /// Name of the property that is being read.
    @exclusivity(unchecked) private var property = ""
    @exclusivity(unchecked) var block: Block?
    /// How many more outlines of case blocks are asked for.
    @exclusivity(unchecked) var caseRoom: Int
    @exclusivity(unchecked) var cases: [CaseOutline] = []
    @exclusivity(unchecked) var isForm = false
    @exclusivity(unchecked) var isRestore = false
    @exclusivity(unchecked) var messages = 0
    @exclusivity(unchecked) var registrationStep = 0
    @exclusivity(unchecked) var syncChildren = 0
    @exclusivity(unchecked) var restoreIDs = 0
    @exclusivity(unchecked) var instanceIDs = 0
    @exclusivity(unchecked) var schemaIDs: Set<String> = []

    /// An outline of nothing yet, which will have those of up to `caseBlocks` case blocks.
    init(purpose: OpenRosaReader.Purpose, caseBlocks: Int) {
        self.purpose = purpose
        caseRoom = caseBlocks
    }

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
        let count = min(longestText - text.count, bytes.count)
        if count < bytes.count { isTextCut = true }
        bytes.extracting(0..<count).withUnsafeBufferPointer { text.append(contentsOf: $0) }
    }

    /// Bytes of the text and the case block that are being read, roughly.
    var heldBytes: Int {
        guard let block else { return text.count }
        return text.count + OpenRosaDocument.longestProperties - max(0, block.propertyRoom)
    }

    // MARK: Roles

    /// The word and the namespace of a tag, looked up once a name.
    func known(_ tag: borrowing XMLTag) -> (word: OpenRosaWord, space: OpenRosaSpace) {
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
        case .create: return inCreate(tag, word)
        case .update: return inUpdate(tag, word)
        case .indices: return inIndices(tag)
        case .attachments:
            block?.attachments += 1
            return nil
        case .groupFixture: return .groups
        case .groups:
            group(tag)
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

    // MARK: Texts

    /// Keeps the text of the element that begins.
    func keep(_ field: Field, atMost longest: Int = OpenRosaDocument.longestText) -> Role {
        self.field = field
        text.removeAll(keepingCapacity: true)
        longestText = longest
        isTextCut = false
        return .text
    }

    /// Keeps the value of the property of the case that begins, where there is room for it.
    func keepProperty(_ tag: borrowing XMLTag, _ field: Field) -> Role? {
        guard block?.isKept == true, let left = block?.propertyRoom, left >= 0 else { return nil }
        property = tag.name.local
        let room = left - property.utf8.count
        block?.propertyRoom = room
        return room >= 0 ? keep(field, atMost: room) : nil
    }

    /// The property whose value has ended; nil where it was cut.
    private func wholeProperty(_ value: String) -> CaseBlock.Property? {
        guard !isTextCut else {
            block?.propertyRoom = -1
            return nil
        }
        block?.propertyRoom -= value.utf8.count
        return CaseBlock.Property(property, value)
    }

    private func ended(_ role: Role) {
        if role == .caseBlock { closeCase() }
        guard role == .text, let field else { return }
        self.field = nil
        let value = Self.trimmed(text, isCut: isTextCut)
        switch field {
        case .message: document.message = value
        case .restoreID: document.restoreID = value
        case .username: document.registration?.username = value
        case .uuid: document.registration?.uuid = value
        case .date: document.registration?.date = value
        case .caseID: block?.outline.caseID = value
        case .dateModified: block?.outline.dateModified = value
        case .userID: block?.outline.userID = block?.outline.userID ?? value
        case .created(let path): block?.created[keyPath: path] = value
        case .updated(let path): block?.updated[keyPath: path] = value
        case .indexTarget: endIndex(value)
        case .createOther: wholeProperty(value).map { block?.created.others.append($0) }
        case .updateOther: wholeProperty(value).map { block?.updated.others.append($0) }
        case .meta(let path): document.form?.meta?[keyPath: path] = value
        }
    }

    /// The text without white space around it; a character cut at the end is left out.
    static func trimmed(_ bytes: [UInt8], isCut: Bool) -> String {
        var bytes = bytes[...]
        if isCut {
            while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
            if let last = bytes.last, last >= 0x80 { bytes.removeLast() }
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// As much of `text` as is kept of any.
    func bounded(_ text: String) -> String {
        guard text.utf8.count > OpenRosaDocument.longestText else { return text }
        return Self.trimmed(
            Array(text.utf8.prefix(OpenRosaDocument.longestText)), isCut: true)
    }

    // MARK: Notes

    /// Notes what is odd, once a kind.
    func note(_ code: String, _ says: String, _ position: XMLPosition? = nil) {
        guard !document.notes.contains(where: { $0.code == code }) else { return }
        document.notes.append(OpenRosaNote(code, bounded(says), at: position))
    }

    /// Notes a root or child in another namespace than it belongs to.
    func expect(
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
}
