/// Form lists and manifests.
extension CommCareFollower {
    /// The role of a child of a form list.
    func inFormList(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        guard known.word == .listedForm || known.word == .oldListedForm else {
            return passOver(tag)
        }
        begin()
        listedForm = ListedForm()
        listedForm?.position = tag.position
        if known.word == .listedForm { return .listedForm }
        listedForm?.downloadURL = attribute("url", of: tag)
        return keep(.oldForm)
    }

    /// The role of a child of a listed form.
    func inListedForm(_ local: String) -> Role? {
        switch local {
        case "name": keep(.listedForm(\.name))
        case "formID": keep(.listedForm(\.formID))
        case "version": keep(.listedForm(\.version))
        case "hash": keep(.listedForm(\.hash))
        case "downloadUrl": keep(.listedForm(\.downloadURL))
        case "manifestUrl": keep(.listedForm(\.manifestURL))
        case "descriptionText": keep(.listedForm(\.descriptionText))
        case "descriptionUrl": keep(.listedForm(\.descriptionURL))
        default: keep(.listedFormOther, named: local)
        }
    }

    /// Ends a listed form.
    func endListedForm() {
        guard var form = listedForm else { return }
        listedForm = nil
        form.isCut = isCut
        emit(.listedForm(form), isCut: isCut)
        let isOld = facts.rootName.local == OpenRosaWord.oldFormList.rawValue
        if form.name == nil || form.downloadURL == nil || (form.formID == nil && !isOld) {
            note(
                "openrosa.listed-form-incomplete", "form \"\(form.name ?? "")\"", form.position)
        }
    }

    /// The role of a child of a manifest.
    func inManifest(_ tag: borrowing XMLTag, _ known: Known) -> Role? {
        guard known.word == .mediaFile else { return passOver(tag) }
        begin()
        mediaFile = MediaFile()
        mediaFile?.position = tag.position
        return .mediaFile
    }

    /// The role of a child of a file.
    func inMediaFile(_ local: String) -> Role? {
        switch local {
        case "filename": keep(.mediaFile(\.filename))
        case "hash": keep(.mediaFile(\.hash))
        case "downloadUrl": keep(.mediaFile(\.downloadURL))
        default: keep(.mediaFileOther, named: local)
        }
    }

    /// Ends a file.
    func endMediaFile() {
        guard var file = mediaFile else { return }
        mediaFile = nil
        file.isCut = isCut
        emit(.mediaFile(file), isCut: isCut)
        if file.filename == nil || file.hash == nil || file.downloadURL == nil {
            note(
                "openrosa.media-file-incomplete", "file \"\(file.filename ?? "")\"", file.position)
        }
    }
}
