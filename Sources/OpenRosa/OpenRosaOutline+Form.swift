/// What forms hold.
extension OpenRosaOutline {
    /// The role of an element in a form; `isRoot` for a child of its root.
    func inForm(
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

    /// The role of a child of `meta`.
    func inMeta(_ tag: borrowing XMLTag) -> Role? {
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
}
