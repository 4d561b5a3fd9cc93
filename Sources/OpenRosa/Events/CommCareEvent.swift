/// An element of a CommCare or OpenRosa document, reported as soon as it is complete.
///
/// Events come in the order in which their elements end; those of roots when they begin.
public enum CommCareEvent: Hashable, Sendable {
    /// The root of a response or restore.
    case response(ResponseHead)
    /// A `message`; well-behaved servers send one, first.
    case message(ResponseMessage)
    /// The sync token of a restore.
    case restoreID(RestoreID)
    /// Progress of a pending restore.
    case progress(RestoreProgress)
    /// The user a restore is for.
    case registration(Registration)
    /// How to store a fixture.
    case schema(FixtureSchema)
    /// A fixture, without its content.
    case fixture(Fixture)
    /// A transaction on a case, of a restore or a form.
    case caseBlock(CaseBlock)
    /// Quantities, of a restore or a form.
    case ledger(LedgerBlock)
    /// The root of a form.
    ///
    /// Where it is unknown beforehand that the document is one, this waits for the first case
    /// block, ledger or `meta`.
    case form(FormInstance)
    /// The first `meta` of a form.
    case meta(FormMeta)
    /// A file that goes with a form.
    case file(FileReference)
    /// The root of a form list.
    case formList(ListHead)
    /// A form of a form list.
    case listedForm(ListedForm)
    /// The root of a manifest.
    case manifest(ListHead)
    /// A file of a manifest.
    case mediaFile(MediaFile)
    /// An element that is skipped: an unknown child of a root, or an unknown root.
    case other(OtherElement)
    /// Something that differs from the specifications.
    case note(OpenRosaNote)
    /// The document ended, and was well formed.
    case end(DocumentEnd)

    /// The start of the element; nil for a note about the whole document.
    public var position: XMLPosition? {
        switch self {
        case .response(let value): value.position
        case .message(let value): value.position
        case .restoreID(let value): value.position
        case .progress(let value): value.position
        case .registration(let value): value.position
        case .schema(let value): value.position
        case .fixture(let value): value.position
        case .caseBlock(let value): value.position
        case .ledger(let value): value.position
        case .form(let value): value.position
        case .meta(let value): value.position
        case .file(let value): value.position
        case .formList(let value), .manifest(let value): value.position
        case .listedForm(let value): value.position
        case .mediaFile(let value): value.position
        case .other(let value): value.position
        case .note(let value): value.position
        case .end(let value): value.position
        }
    }
}
