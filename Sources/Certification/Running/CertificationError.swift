/// Why a scenario cannot be played.
public struct CertificationError: Error, Hashable, Sendable {
    /// What happened, and what to do.
    public let reason: String

    /// An error for this reason.
    public init(_ reason: String) { self.reason = reason }
}
