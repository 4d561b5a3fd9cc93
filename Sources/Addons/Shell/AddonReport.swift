public import Wire

/// Receives what an add-on says besides its verdicts, on a thread of its own.
public struct AddonReport: Sendable {
    /// A line that it wrote to its standard error.
    public var line: @Sendable (String) -> Void
    /// What is wrong with it, for the user and the trace.
    public var warning: @Sendable (String) -> Void
    /// A mark or note about the session.
    public var aside: @Sendable (AddonAside) -> Void
    /// The time now.
    public var now: @Sendable () -> Instant

    /// A report to these.
    public init(
        line: @escaping @Sendable (String) -> Void, warning: @escaping @Sendable (String) -> Void,
        aside: @escaping @Sendable (AddonAside) -> Void, now: @escaping @Sendable () -> Instant
    ) {
        self.line = line
        self.warning = warning
        self.aside = aside
        self.now = now
    }
}

/// What an add-on says about one event.
public enum AddonReply: Hashable, Sendable {
    /// What becomes of it.
    case verdict(AddonVerdict)
    /// Something beside its verdict.
    case aside(AddonAside)
}
