public import Wire

/// How much of a connection was captured.
public enum Coverage: Hashable, Sendable {
    /// Everything since the client connected.
    case whole
    /// It was open before the capture.
    case late
    /// Bytes are missing since this time.
    case broken(since: Instant)
}
