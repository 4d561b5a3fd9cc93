import Notation
import Wire

/// An object that was removed, as it was before.
struct SimperiumRemovedObject: Sendable {
    /// Its data.
    let data: JSONValue
    /// The client that removed it; nil where the change does not have it.
    let author: String?
}
