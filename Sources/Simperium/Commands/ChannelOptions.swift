/// The payload of a server's `o`, which no specification has.
///
/// Observed after `auth` by the clients for iOS and in simperium-js.
public struct ChannelOptions: Hashable, Sendable {
    /// Whether keys are exchanged as `namespace/key`.
    public var exposesNamespace: Bool?
    /// The namespace.
    public var namespace: String?

    /// Options with these values.
    public init(exposesNamespace: Bool?, namespace: String?) {
        self.exposesNamespace = exposesNamespace
        self.namespace = namespace
    }
}
