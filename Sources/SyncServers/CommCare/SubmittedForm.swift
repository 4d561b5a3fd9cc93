internal import OpenRosa

/// What the server wants to know of a submitted form.
struct SubmittedForm: Hashable, Sendable {
    /// Why a form is refused, in words for the `OpenRosaResponse`.
    struct Refusal: Error, Hashable {
        var says: String
    }

    /// Namespace of the root element, which names the form.
    var namespace = ""
    /// The `instanceID` of its `meta`; nil where it has none.
    var instanceID: String?
    /// Its case blocks in order of the document.
    var cases: [CaseBlock] = []

    /// Largest number of case blocks in one form.
    static let mostCases = 10_000

    /// Reads the document of a form.
    ///
    /// - Throws: ``Refusal`` where it is not XML, or no form.
    init(_ bytes: Span<UInt8>) throws(Refusal) {
        let reader = FormReader()
        let stream = XMLStream(handler: reader)
        do {
            try stream.feed(bytes)
            try stream.finish()
        } catch {
            throw Refusal(says: "Invalid XML: \(error)")
        }
        guard !reader.form.namespace.isEmpty else {
            throw Refusal(says: "Form is missing a required field: XMLNS")
        }
        guard reader.form.cases.count <= Self.mostCases else {
            throw Refusal(says: "Form has more than \(Self.mostCases) case blocks")
        }
        self = reader.form
    }

    /// A form that nothing is known of yet.
    init() {}
}

/// Collects a ``SubmittedForm`` from the events of an XML stream.
private final class FormReader: XMLEventHandler {
    /// Namespace of case transactions.
    static let caseNamespace = "http://commcarehq.org/case/transaction/v2"

    var form = SubmittedForm()
    /// Local names of the open elements.
    private var path: [String] = []
    /// The open case block and the depth of its element.
    private var block: (value: CaseBlock, depth: Int)?
    /// The open reference within `index`.
    private var index: CaseBlock.Index?
    /// Text directly in the innermost open element.
    private var text = ""

    func start(_ tag: borrowing XMLTag) {
        let name = tag.name
        path.append(name.local)
        text = ""
        if path.count == 1 { form.namespace = name.namespace ?? "" }
        guard let open = block else {
            if name.local == "case", name.namespace == Self.caseNamespace {
                var value = CaseBlock()
                value.id = tag["case_id"] ?? ""
                value.modified = tag["date_modified"] ?? ""
                value.user = tag["user_id"] ?? ""
                block = (value, path.count)
            }
            return
        }
        switch path.count - open.depth {
        case 1 where name.local == "create": block?.value.create = []
        case 1 where name.local == "close": block?.value.closes = true
        case 2 where path[open.depth] == "index":
            index = CaseBlock.Index(
                name: name.local, type: tag["case_type"] ?? "",
                relationship: tag["relationship"] ?? "child", target: "")
        default: break
        }
    }

    func end(_ tag: borrowing XMLTag) {
        guard let name = path.popLast() else { return }
        defer { text = "" }
        guard let open = block else {
            if path.count >= 2, path.last == "meta", name == "instanceID", form.instanceID == nil {
                let id = text.filter { !$0.isWhitespace }
                form.instanceID = id.isEmpty ? nil : id
            }
            return
        }
        if path.count + 1 == open.depth {
            // One more than allowed is kept, so that the form is refused rather than cut.
            if form.cases.count <= SubmittedForm.mostCases { form.cases.append(open.value) }
            block = nil
            return
        }
        guard path.count == open.depth + 1, let parent = path.last else { return }
        switch parent {
        case "create": block?.value.create?.append(.init(name: name, value: text))
        case "update": block?.value.update.append(.init(name: name, value: text))
        case "index":
            if var index {
                index.target = text
                block?.value.indices.append(index)
            }
            index = nil
        default: break
        }
    }

    func text(_ bytes: borrowing Span<UInt8>) {
        // What is between elements of a case is their indentation, and what is elsewhere is not kept.
        guard block != nil || path.last == "instanceID" else { return }
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in 0..<bytes.count { copy.append(bytes[index]) }
        text += String(decoding: copy, as: UTF8.self)
    }
}
