/// What forms hold.
extension CommCareFollower {
    /// The maximum number of files kept before it is known that a document is a form.
    private static let longestList = 1000
    /// Longest answer that may name a file, in bytes.
    private static let longestFile = 255
    private static let extensions: Set<String> = [
        "jpg", "jpeg", "png", "gif", "bmp", "webp", "svg", "heic", "3gp", "3gpp", "3ga", "mp4",
        "m4a", "mov", "avi", "mpg", "mpeg", "webm", "mkv", "wav", "mp3", "amr", "ogg", "aac",
        "caf", "flac", "pdf", "doc", "docx", "xls", "xlsx", "rtf", "txt", "csv", "html", "msg",
        "zip",
    ]

    /// The document is a form: reports it, once.
    func becomeForm() {
        facts.isForm = true
        guard let form = facts.candidate else { return }
        facts.candidate = nil
        kind = .form
        emit(.form(form), isCut: form.isCut)
        if form.namespace == nil { note("openrosa.xmlns-missing", "no namespace", form.position) }
        for file in facts.files { emit(.file(file)) }
        facts.files = []
    }

    /// The role of an element in a form; `isRoot` for a child of its root.
    func inForm(_ tag: borrowing XMLTag, _ known: Known, isRoot: Bool) -> Role? {
        answer = nil
        if known.space == .ledger || known.word == .caseBlock {
            // A device's report on itself is logged, and its blocks change nothing.
            guard facts.namespace != FormInstance.deviceReport else {
                becomeForm()
                return .answer
            }
            if known.space == .ledger { return openLedger(tag, known.word) }
            return openCase(tag, known.space)
        }
        guard isRoot, known.word == .meta, !facts.hasMeta else {
            if findsFiles {
                answer = Answer(name: known.local, position: tag.position)
                beginText(atMost: Self.longestFile)
            }
            return .answer
        }
        becomeForm()
        facts.hasMeta = true
        begin()
        meta = FormMeta()
        meta?.position = tag.position
        let namespace = tag.name.namespace.map(bounded)
        meta?.namespace = namespace
        if known.space != .meta, namespace != facts.namespace {
            note("openrosa.meta-namespace", "namespace \"\(namespace ?? "")\"", tag.position)
        }
        return .meta
    }

    /// Ends an answer; `answer` is nil where it contained other elements.
    func endAnswer() {
        guard let answer, let text = wholeText() else { return }
        self.answer = nil
        guard Self.isFile(text) else { return }
        let file = FileReference(
            file: text, element: Self.shortened(answer.name), position: answer.position)
        if facts.candidate == nil {
            emit(.file(file))
        } else if facts.files.count < Self.longestList {
            facts.files.append(file)
            facts.heldBytes += file.file.utf8.count + file.element.utf8.count
        }
    }

    /// Whether a text is one word with the extension of a file.
    private static func isFile(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let dot = bytes.lastIndex(of: 0x2E), dot != bytes.startIndex,
            bytes.distance(from: dot, to: bytes.endIndex) <= 5,
            !bytes.contains(where: { $0 <= 0x20 || $0 == 0x2F || $0 == 0x5C })
        else { return false }
        return extensions.contains(text[text.index(after: dot)...].lowercased())
    }

    /// The role of a child of `meta`.
    func inMeta(_ tag: borrowing XMLTag, _ local: String) -> Role? {
        switch local {
        case "instanceID":
            facts.instanceIDs += 1
            guard facts.instanceIDs == 1 else {
                note(
                    "openrosa.instance-id-repeated", "instanceID \(facts.instanceIDs)", tag.position
                )
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
        default: return keep(.metaOther, named: local)
        }
    }

    /// Ends the `meta` block.
    func endMeta() {
        guard var meta else { return }
        self.meta = nil
        meta.isCut = isCut
        emit(.meta(meta), isCut: isCut)
        if meta.instanceID?.isEmpty ?? true {
            note("openrosa.instance-id-missing", "no instanceID", meta.position)
        }
    }
}
