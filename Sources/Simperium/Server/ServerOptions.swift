/// The options of a server for its connections: limits, and behaviour that cannot be observed with
/// certainty.
public struct ServerOptions: Hashable, Sendable {
    /// Whether clients get what the API had before version 1.1.
    public enum Legacy: Hashable, Sendable {
        /// Those whose `init` has an old version.
        case byClient
        /// None.
        case never
        /// All.
        case always
    }

    /// Options of every bucket.
    public var bucket = BucketOptions()
    /// The `o` that follows `auth`; nil for none.
    ///
    /// With a namespace that is exposed, keys are exchanged as `namespace/key`.
    public var channelOptions: ChannelOptions?
    /// Whether an unknown change version is answered with `c:?` rather than `cv:?`.
    ///
    /// Old clients are those with an `api` before 1.1, and those without `library` or `version`.
    /// Source: Simperium/Specification.md#init; observed by the clients for iOS and Android.
    public var legacyChangeVersion = Legacy.byClient
    /// Whether a refusal is preceded by `auth:expired`.
    ///
    /// Old clients are those with an `api` before 1.1. Source: Simperium/Specification.md#init.
    public var legacyRefusal = Legacy.byClient
    /// Whether a token must be 32 or more letters and digits.
    public var checksTokens = true
    /// Whether an unrecognised command on a channel is answered with a bare `?`.
    public var answersWithoutChannel = false
    /// Channels of one connection.
    public var channels = 1000
    /// Buckets of all users.
    public var buckets = 10_000
    /// The maximum number of changes in one `c`; a longer one is not accepted.
    public var changes = 1000

    /// The usual options.
    public init() {}
}
