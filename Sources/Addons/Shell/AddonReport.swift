public import Wire

/// Receives what an add-on says besides its verdicts, on a thread of its own.
public struct AddonReport: Sendable {
    /// A line that it wrote to its standard error.
    public var line: @Sendable (String) -> Void
    /// What is wrong with it, for the user and the trace.
    public var warning: @Sendable (String) -> Void
    /// A mark or note about the session.
    public var aside: @Sendable (AddonAside) -> Void
    /// What it asks for from now on; nil for nothing.
    public var listens: @Sendable (AddonHello?) -> Void
    /// The time now.
    public var now: @Sendable () -> Instant

    /// A report to these.
    public init(
        line: @escaping @Sendable (String) -> Void, warning: @escaping @Sendable (String) -> Void,
        aside: @escaping @Sendable (AddonAside) -> Void,
        listens: @escaping @Sendable (AddonHello?) -> Void = { _ in },
        now: @escaping @Sendable () -> Instant
    ) {
        self.line = line
        self.warning = warning
        self.aside = aside
        self.listens = listens
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
