/// A bucket that a model answers for from now on, because a client said something else than the
/// recording.
public struct SimperiumHandOver: Hashable, Sendable {
    /// Name of the bucket.
    public var bucket: String
    /// Whose it is, as `auth` said; nil where that is not known.
    public var user: String?
    /// What came.
    public var cause: SimperiumMiss

    /// A few lines for people, without a line feed at the end.
    public var description: String {
        let owner = user.map { " of \(OneLine.text($0))" } ?? ""
        return "bucket \(OneLine.text(bucket))\(owner) is the model's from now on\n"
            + cause.description
    }
}
