/// The client that requests a change of a bucket.
public struct ChangeAuthor: Hashable, Sendable {
    /// The `clientid` of the channel; may be empty.
    public var clientID: String
    /// Whether changes are allowed; refused with 401 otherwise.
    public var mayWrite: Bool

    /// An author with these values.
    public init(clientID: String, mayWrite: Bool = true) {
        self.clientID = clientID
        self.mayWrite = mayWrite
    }
}
