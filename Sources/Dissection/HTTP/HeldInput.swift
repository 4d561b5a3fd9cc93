import Wire

/// What a client sent before its protocol is known.
enum HeldInput {
    /// Bytes.
    case bytes(Piece)
    /// Bytes are missing.
    case gap(GapRow)
}
