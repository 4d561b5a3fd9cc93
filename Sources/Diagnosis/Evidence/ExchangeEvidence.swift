public import Dissection
public import Wire

/// A request and, once it has ended, its response.
public struct ExchangeEvidence: Sendable {
    /// The exchange.
    public var row: ExchangeRow
    /// The request; nil where it is not kept.
    public var request: SideEvidence?
    /// The response; nil where there is none or it is not kept.
    public var response: SideEvidence?
    /// The faults that affected it, in order.
    public var faults: [FaultRow]

    /// An exchange with these values.
    public init(
        _ row: ExchangeRow, request: SideEvidence?, response: SideEvidence? = nil,
        faults: [FaultRow] = []
    ) {
        self.row = row
        self.request = request
        self.response = response
        self.faults = faults
    }

    /// Whether Tapedeck made, changed or suppressed the response.
    public var isAnswerTouched: Bool {
        row.isLocal || faults.contains { $0.sender != .client || $0.hasEffect([.stalled, .ended]) }
    }

    /// Whether Tapedeck changed the request, so that the server did not receive what the client
    /// sent.
    public var isRequestTouched: Bool { faults.contains { $0.sender == .client } }
}

/// Head and content of one side of an exchange.
public struct SideEvidence: Sendable {
    /// Reads the whole content from its first byte on, piece by piece.
    ///
    /// Returns false where it cannot be read. `take` returns whether it wants more.
    public typealias Reading = @Sendable (_ take: (ArraySlice<UInt8>) -> Bool) -> Bool

    /// The row: start line and fields, the first bytes of the content, sizes and codings.
    public var body: BodyRow
    /// The parts of a multipart body, in order.
    public var parts: [PartRow]
    /// OpenRosa documents in the body, in order.
    public var documents: [OpenRosaRow]
    /// Reads the whole content where ``body`` has only its first bytes; nil where it cannot.
    public var whole: Reading?

    /// A side with these values.
    public init(
        _ body: BodyRow, parts: [PartRow] = [], documents: [OpenRosaRow] = [],
        whole: Reading? = nil
    ) {
        self.body = body
        self.parts = parts
        self.documents = documents
        self.whole = whole
    }

    /// Whether ``BodyRow/content`` is all of it.
    public var isWhole: Bool { body.problem == nil && Int64(body.content.count) == body.size }

    /// Reads the whole content.
    ///
    /// - Returns: Whether it could be read.
    public func read(_ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        if isWhole {
            _ = take(body.content[...])
            return true
        }
        return whole?(take) ?? false
    }

    /// The fields of the head.
    public var head: HeadLines { HeadLines(body.head) }
}
