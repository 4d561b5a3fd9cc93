package import OpenRosa

/// How much of what a peer sends is kept in memory and in derived rows.
///
/// The chunks keep every byte; these bounds are about the decoded view.
public struct DissectionLimits: Hashable, Sendable {
    /// Bytes of decoded content kept for each side of an exchange; default: 1 MiB.
    public var storedContent = 1 << 20
    /// Bytes of payload kept for a WebSocket message; default: 1 MiB.
    public var storedPayload = 1 << 20
    /// Bytes kept while it is not yet known what protocol they belong to.
    public var heldBytes = 1 << 20
    /// Bytes kept of a connection since nothing was open on it, from which the server's side is read
    /// by itself where it begins to differ; default: 4 MiB.
    ///
    /// Where more is open, what is open has the client's side alone.
    public var heldSinceQuiet = 4 << 20
    /// Bytes that bodies, messages and heads in progress and their decoders hold, all connections
    /// together; the largest give way.
    ///
    /// A function of the records alone, so that a rebuild gives the
    /// same rows.
    public var heldInAll = 128 << 20
    /// Simperium channels kept for each connection.
    public var channels = 4_096
    /// Parts of a multipart body that get a row.
    public var parts = 1_000
    /// Case blocks of a body that get a row: more than any device holds, and so many at once that
    /// their rows take some tens of megabytes.
    public var caseBlocks = 100_000
    /// What the XML documents of one body may cost before the rest stays bytes; counted, so that
    /// rows do not depend on how busy the machine is.
    package var xml = XMLLimits()
    /// Size in bytes that no body is decoded beyond.
    public var decodedContent: Int64 = 512 << 20
    /// Bytes of names and values of the properties of one case block that get into its row.
    public static let casePropertyBytes = OpenRosaDocument.longestProperties

    /// The limits that `tapedeck record` uses.
    public init() {}
}
