/// The restore that is requested, and the user: equal requests get the same one.
struct RestoreOrder: Hashable, Sendable {
    var domain: String
    /// Identifier of the user whose data it is.
    var user: String
    /// The sync token of the restore before; nil for everything.
    var since: String?
    /// What the device calls itself.
    var device: String?
    /// Whether the answer states how many elements it has.
    var hasItems = false
    /// Whether cases are to be written as in version 1.0.
    var isVersion1 = false
    /// Whether fixtures are left out of a restore since another.
    var skipsFixtures = false
    /// Whether the body is compressed as it is written.
    var isCompressed = false
}
