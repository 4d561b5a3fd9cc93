/// What a device submits its forms to, and how.
public struct CommCareSubmission: Hashable, Sendable {
    /// Whether the server is any of OpenRosa's: it is asked before the first form, takes forms at
    /// `submission` and knows no sync tokens.
    public var isOpenRosa = false
    /// Whether nobody signs in, and the server is to forget the form: the practice mode of an app.
    public var isDemonstration = false
    /// Whether bodies go out in chunks, as those do whose length is not known beforehand.
    public var sendsChunks = false

    /// A device of CommCare, whose user signs in.
    public init() {}
}
