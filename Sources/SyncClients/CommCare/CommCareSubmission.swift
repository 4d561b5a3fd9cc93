/// What a device submits its forms to, and how.
public struct CommCareSubmission: Hashable, Sendable {
    /// Whether the server is a generic OpenRosa server: it gets a request before the first form,
    /// accepts forms at `submission` and has no sync tokens.
    public var isOpenRosa = false
    /// Whether no user signs in, and the server is to discard the form: the practice mode of an
    /// app.
    public var isDemonstration = false
    /// Whether bodies are sent in chunks, as those of unknown length are.
    public var sendsChunks = false

    /// A device of CommCare, whose user signs in.
    public init() {}
}
