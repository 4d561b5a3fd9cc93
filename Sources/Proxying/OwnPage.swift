/// A page that a forward proxy gives itself, to clients that ask it for `http://tapedeck.test/` or for its
/// own address: a device gets the certificate that it has to trust that way.
public struct OwnPage: Hashable, Sendable {
    /// The host names, which no server has (`test` by RFC 6761, 6.2): browsers search the web for a name
    /// of one label.
    public static let hosts = ["tapedeck.test", "tapedeck"]

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
