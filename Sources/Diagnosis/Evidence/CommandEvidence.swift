public import Dissection
public import Simperium
public import Wire

/// A Simperium command, as sent and as received.
///
/// A final class, so that it can be remembered by many without being copied.
public final class CommandEvidence: Sendable {
    /// A command as text and decoded.
    ///
    /// A final class, since most commands are received as they were sent.
    public final class Version: Sendable {
        /// The whole command: channel, name and payload.
        public let text: [UInt8]
        /// The decoded command; ranges are in bytes of ``text``.
        public let command: SimperiumCommand

        /// Reads the command `text` of `sender`.
        public init(_ text: [UInt8], from sender: Peer) {
            self.text = text
            command = SimperiumCommand.parse(text, from: sender)
        }
    }

    /// The command as received.
    ///
    /// Where it was lost, made from what was sent: the number is that of the command before it.
    public let row: CommandRow
    /// Who made it.
    public let origin: Origin
    /// As sent; nil where Tapedeck made it.
    public let said: Version?
    /// As received; nil where it was lost.
    public let heard: Version?
    /// Where its message begins; nil where it was lost.
    public let place: Place?
    /// Whether the text is only the first bytes of a large command.
    public let isCut: Bool

    /// A command that was received as it was sent, or that Tapedeck made.
    public init(
        _ row: CommandRow, text: [UInt8], origin: Origin = .peer, place: Place?,
        isCut: Bool = false
    ) {
        self.row = row
        self.origin = origin
        self.place = place
        self.isCut = isCut
        let version = Version(text, from: row.sender)
        said = origin == .tapedeck ? nil : version
        heard = origin == .lost ? nil : version
    }

    /// A command that Tapedeck changed on the way.
    public init(
        _ row: CommandRow, said: [UInt8], heard: [UInt8], place: Place?, isCut: Bool = false
    ) {
        self.row = row
        self.place = place
        origin = .altered
        self.isCut = isCut
        self.said = Version(said, from: row.sender)
        self.heard = Version(heard, from: row.sender)
    }

    /// As sent or, where Tapedeck made it, as received.
    public var version: Version? { said ?? heard }
}
