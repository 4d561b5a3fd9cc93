/// What is known once the document has ended.
extension OpenRosaOutline {
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
        if let problem, problem.reason.isBudget {
            note(
                "openrosa.too-much", "what follows is not decoded: \(problem.reason.description)",
                problem.position)
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
