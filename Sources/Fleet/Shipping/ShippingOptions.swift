/// What is shipped, to where and how.
public struct ShippingOptions: Sendable {
    /// Where to.
    public var address: FleetAddress
    /// The password of the user there.
    public var password: String
    /// Labels of sessions that have not been shipped.
    public var labels: [Label]
    /// What becomes of secrets.
    public var secrets: ShippedSecrets
    /// How long a failure that may pass is waited for, in nanoseconds.
    public var patience: Int64 = 60_000_000_000
    /// The version of this program.
    public var program: String

    /// Options of these.
    public init(
        address: FleetAddress, password: String, labels: [Label], secrets: ShippedSecrets,
        program: String
    ) {
        self.address = address
        self.password = password
        self.labels = labels
        self.secrets = secrets
        self.program = program
    }
}
