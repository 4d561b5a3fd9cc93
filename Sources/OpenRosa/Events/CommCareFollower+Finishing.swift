/// What is known once the document has ended well.
extension CommCareFollower {
    /// Notes what is missing from the document, and says that it ended.
    func finish(at position: XMLPosition, namespaceError: XMLError?) {
        if kind == .response,
            facts.isRestore || facts.nature == OpenRosaNature.restoreSuccess.rawValue
        {
            kind = .restore
        }
        if let namespaceError {
            note(
                "openrosa.xml-namespace", namespaceError.reason.description, namespaceError.position
            )
        }
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
                            "items says \(count), there are \(children) children")
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
