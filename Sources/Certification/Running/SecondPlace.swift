/// Where the second client of a scenario works.
public struct SecondPlace: Hashable, Sendable {
    /// The folder of the scenario, with the files of its forms.
    public let folder: String
    /// Port of the server on this machine.
    public let port: Int
    /// Password and token of its user.
    public let identity: Identity
    /// The number of looks that were had from here before, so that each begins with nothing.
    public var looks = 0

    /// A place with these values.
    public init(folder: String, port: Int, identity: Identity) {
        self.folder = folder
        self.port = port
        self.identity = identity
    }
}
