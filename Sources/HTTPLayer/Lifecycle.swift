/// Whether the program is in front of its user, as an input: Linux has no such thing.
public enum Lifecycle: Hashable, Sendable {
    /// All requests are processed.
    case foreground
    /// What runs finishes; what is queued waits, unless background tasks are enabled.
    case background
}
