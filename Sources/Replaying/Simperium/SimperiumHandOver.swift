/// A bucket that a model serves from now on, because a client deviated from the recording.
public struct SimperiumHandOver: Hashable, Sendable {
    /// Name of the bucket.
    public var bucket: String
    /// Its user, as in `auth`; nil where that is unknown.
    public var user: String?
    /// What was received.
    public var cause: SimperiumMiss

    /// A few lines of text, without a line feed at the end.
    public var description: String {
        let owner = user.map { " of \(OneLine.text($0))" } ?? ""
        return "bucket \(OneLine.text(bucket))\(owner) is served by the model from now on\n"
            + cause.description
    }
}
