/// A reason for which a server refuses a change.
///
/// Which of several reasons counts is unknown of the real server, so that the order is an option:
/// ``BucketOptions/checks``. Source: Simperium/Specification.md#errors.
public enum ChangeCheck: Error, Hashable, Sendable, CaseIterable {
    /// The user may not write.
    case permission
    /// The key, the identifier of the change or its operation is missing or not allowed.
    case identity
    /// The change has not the fields that its operation needs, or the object may not go yet.
    case schema
    /// What was sent is larger than an object may be.
    case size
    /// This client has made this change already.
    case duplicate
    /// `sv` is missing, of the future, or of a version that is not kept.
    case version
    /// There is no object that the change could apply to.
    case existence
    /// The operations do not apply.
    case diff
    /// The object would become larger than one may be.
    case result
    /// The object stays what it is.
    case emptiness
    /// The bucket is full.
    case room

    /// The order of the list in Simperium/Specification.md#server.
    public static let usualOrder: [ChangeCheck] = [
        .permission, .identity, .schema, .size, .duplicate, .version, .existence, .diff, .result,
        .emptiness, .room,
    ]

    /// What the client is sent; see ``SimperiumErrorCode``.
    public var code: Int {
        switch self {
        case .permission: 401
        case .identity, .schema: 400
        case .size, .result: 413
        case .duplicate: 409
        case .version: 405
        case .existence: 404
        case .diff: 440
        case .emptiness: 412
        case .room: 503
        }
    }
}
