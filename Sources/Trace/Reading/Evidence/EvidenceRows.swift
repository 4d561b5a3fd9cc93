public import Dissection
public import Wire

/// An event of a session, as a diagnosis reads it.
///
/// Its payloads are kept apart, so that one is moved rather than copied while it waits.
public indirect enum EvidenceEntry {
    /// A client connected.
    case connection(ConnectionRow)
    /// Something happened that is not bytes.
    case event(EventRow)
    /// Bytes are known to be missing.
    case gap(GapRow)
    /// A fault was applied to the traffic.
    case fault(EvidenceFaultRow)
    /// A request is complete, or as much of it as was received.
    case asked(EvidenceExchangeRow)
    /// An exchange has ended.
    case answered(EvidenceExchangeRow)
    /// A Simperium command; the client's where each side has its own.
    case command(EvidenceCommandRow)
    /// A WebSocket message without Simperium commands; the client's where each side has its own.
    case message(MessageRow)
    /// A note of a decoder about the bytes.
    case note(NoteRow)
}

/// A fault with its target.
public struct EvidenceFaultRow: Hashable, Sendable {
    /// What was done.
    public var row: FaultRow
    /// The exchange it was applied to, if any.
    public var exchange: ExchangeID?
}

/// An exchange with what is kept of both sides.
public struct EvidenceExchangeRow: Hashable, Sendable {
    /// The exchange, as it is now.
    public var row: ExchangeRow
    /// The request; nil where it is not kept.
    public var request: EvidenceSideRow?
    /// What the response holds; nil where there is none yet, or it is not kept.
    public var response: EvidenceSideRow?
    /// The faults applied to it so far.
    public var faults: [FaultRow]
}

/// One side of an exchange.
public struct EvidenceSideRow: Hashable, Sendable {
    /// Head and the first bytes of the content.
    public var body: BodyRow
    /// The parts of a multipart body.
    public var parts: [PartRow]
    /// OpenRosa documents in the body.
    public var documents: [OpenRosaRow]
}

/// A Simperium command with its text.
public struct EvidenceCommandRow: Hashable, Sendable {
    /// The command, without what follows from its text: bucket, key, change version, place of the payload
    /// and problem.
    public var row: CommandRow
    /// The whole command: channel, name and payload.
    public var text: [UInt8]
    /// The command of the other side that corresponds to it; nil without one.
    public var other: [UInt8]?
    /// Where its message begins.
    public var place: Place
    /// Whether ``text`` is only the first bytes of it.
    public var isCut: Bool
}
