import Wire

/// What comes from a client before it is known which protocol it belongs to.
enum HeldInput {
    /// Bytes.
    case bytes(Piece)
    /// Bytes are missing.
    case gap(GapRow)
}
