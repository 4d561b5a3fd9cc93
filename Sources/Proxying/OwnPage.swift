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

    /// What stands in the content for the part about the client that asks; nil where there is none.
    public let clientMark: String?

    /// A page.
    public init(type: String, content: [UInt8], clientMark: String? = nil) {
        self.type = type
        self.content = content
        self.clientMark = clientMark
    }

    /// The page for a client.
    ///
    /// - Parameter part: What is to stand in place of the mark.
    /// - Returns: The page with it.
    func filled(_ part: () -> String) -> OwnPage {
        guard let clientMark, let place = content.firstRange(of: Array(clientMark.utf8)) else {
            return self
        }
        return OwnPage(
            type: type,
            content: content[..<place.lowerBound] + Array(part().utf8)
                + content[place.upperBound...])
    }
}
