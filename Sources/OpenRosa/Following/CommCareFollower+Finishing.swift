/// What is known at the end of the document.
extension CommCareFollower {
    /// What the document is, as far as it is known.
    var documentKind: OpenRosaDocument.Kind {
        guard kind == .response else { return kind }
        let isSuccess = facts.nature == OpenRosaNature.restoreSuccess.rawValue
        return facts.isRestore || isSuccess ? .restore : .response
    }

    /// The incomplete event: for a document that broke off.
    var begun: CommCareEvent? {
        if let block { return .caseBlock(block) }
        if let message { return .message(message) }
        if let restoreID { return .restoreID(restoreID) }
        if let registration { return .registration(registration) }
        if let schema { return .schema(schema) }
        if let ledger { return .ledger(ledger) }
        if let meta { return .meta(meta) }
        if let listedForm { return .listedForm(listedForm) }
        if let mediaFile { return .mediaFile(mediaFile) }
        guard case .fixture(var fixture)? = passing else { return nil }
        fixture.groups = groups
        return .fixture(fixture)
    }

    /// The document was read to its end: notes what is missing from it, and reports its end.
    func finish(at position: XMLPosition, namespaceError: XMLError?) {
        kind = documentKind
        if let namespaceError { emit(.note(OpenRosaNote(namespaceError))) }
        if facts.candidate != nil {
            facts.candidate = nil
            facts.files = []
            let start = facts.rootPosition
            emit(
                .other(
                    OtherElement(
                        facts.rootName, elements: elements,
                        bytes: start.offset..<max(start.offset, position.offset), position: start)))
        }
        noteMissing()
        emit(.end(DocumentEnd(kind: kind, children: children, position: position)))
    }

    private func noteMissing() {
        if kind == .response || kind == .restore {
            if facts.messages == 0 { note("openrosa.message-missing", "no message") }
            if let items = facts.items {
                if let count = Int(items) {
                    if count != children {
                        note(
                            "openrosa.items-differ",
                            "items is \(count), and there are \(children) children")
                    }
                } else {
                    note("openrosa.items-not-a-number", "items \"\(items)\"")
                }
            }
        }
        if kind == .restore, !facts.hasRestoreID {
            note("openrosa.restore-id-missing", "no restore_id")
        }
        if kind == .form, !facts.hasMeta { note("openrosa.meta-missing", "no meta") }
    }
}
