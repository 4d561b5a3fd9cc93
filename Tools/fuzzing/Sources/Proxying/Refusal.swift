/// Stands in for the reasons of the proxy's shell, which counts file descriptors.
public struct Refusal: Hashable, Sendable {
    /// Status of the answer.
    public let status: Int
    /// Its reason phrase.
    public let phrase: String
    /// What happened and what to do.
    public let detail: String
}
