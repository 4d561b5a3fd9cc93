internal import OpenRosa

/// The parts of a submitted form that the server uses.
struct FormDocument: Sendable {
    /// Why a form is refused, in words for the `OpenRosaResponse`.
    struct Refusal: Error, Hashable {
        var detail: String
    }

    /// Namespace of the root element, which names the form.
    var namespace = ""
    /// The `instanceID` of its `meta`; nil where it has none.
    var instanceID: String?
    /// Its case and ledger blocks in order of the document.
    var blocks: [CommCareEvent] = []

    /// Largest number of case and ledger blocks in one form.
    static let maxBlocks = 10_000

    /// Reads the document of a form.
    ///
    /// - Throws: ``Refusal`` where it is not XML, or no form.
    init(_ bytes: [UInt8]) throws(Refusal) {
        var blocks: [CommCareEvent] = []
        var isTooLong = false
        // As much as a form may have: what is kept of a case must be all of it.
        let bounds = CommCareBounds(
            text: CommCareServer.Limit.form, event: CommCareServer.Limit.form, members: 100_000)
        var namespace: String?
        var instanceID: String?
        let reader = CommCareReader(purpose: .submission, bounds: bounds) { event in
            switch event {
            case .form(let form): namespace = form.namespace
            case .meta(let meta): instanceID = meta.instanceID
            case .caseBlock, .ledger:
                if blocks.count < Self.maxBlocks { blocks.append(event) } else { isTooLong = true }
            default: break
            }
        }
        do {
            try reader.feed(bytes.span)
            try reader.finish()
        } catch {
            throw Refusal(detail: "Invalid XML: \(error)")
        }
        guard let namespace, !namespace.isEmpty else {
            throw Refusal(detail: "Form is missing a required field: XMLNS")
        }
        guard !isTooLong else {
            throw Refusal(detail: "Form has more than \(Self.maxBlocks) case blocks")
        }
        self.namespace = namespace
        self.instanceID = instanceID.flatMap { $0.isEmpty ? nil : $0 }
        self.blocks = blocks
    }

    /// A form that the server itself makes of one case block.
    init(_ block: CaseBlock) { blocks = [.caseBlock(block)] }

    /// The case blocks.
    var caseBlocks: [CaseBlock] {
        blocks.compactMap { if case .caseBlock(let block) = $0 { block } else { nil } }
    }
}
