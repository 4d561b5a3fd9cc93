internal import Wire

/// One version of an object as a server keeps it.
struct StoredVersion: Hashable, Sendable {
    /// The version, from 1.
    let number: Int64
    /// The object, always a JSON object.
    let data: JSONValue
    /// The map of operations that made it of the version before; nil where that is not known.
    let change: JSONValue?
    /// Bytes of ``data`` as JSON.
    let weight: Int
}
