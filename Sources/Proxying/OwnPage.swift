/// A page that a forward proxy gives itself, to clients that ask it for `http://tapedeck/`: a device
/// gets the certificate that it has to trust that way.
public struct OwnPage: Hashable, Sendable {
    /// The host name, which no server has.
    public static let host = "tapedeck"

    /// Media type of the content.
    public let type: String
    /// The content.
    public let content: [UInt8]

    /// A page.
    public init(type: String, content: [UInt8]) {
        self.type = type
        self.content = content
    }
}
