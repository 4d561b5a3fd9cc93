/// Bytes of one direction that are missing, so that its next start line is looked for.
struct MissingBytes {
    /// How many bytes are missing; nil where that is unknown.
    var count: Int64?
}
