/// A row that decoding made from chunks.
///
/// The same chunks and events in the same order give the same rows with the same numbers. Indirect,
/// since rows are large and pass through several arrays.
public indirect enum DerivedRow: Hashable, Sendable {
    /// An exchange; returned again, with the same number, when more of it is known.
    case exchange(ExchangeRow)
    /// Head and content of one side of an exchange, once it is complete or cut.
    case body(BodyRow)
    /// One part of a multipart body.
    case part(PartRow)
    /// An OpenRosa document found in a body.
    case openRosa(OpenRosaRow)
    /// A case block of such a document, before the document, as soon as it has come.
    case caseBlock(CaseBlockRow)
    /// A WebSocket frame.
    case frame(FrameRow)
    /// A WebSocket message.
    case message(MessageRow)
    /// A Simperium command.
    case command(CommandRow)
    /// One change of a Simperium `c` command.
    case change(ChangeRow)
    /// Something worth knowing about the bytes.
    case note(NoteRow)
}
