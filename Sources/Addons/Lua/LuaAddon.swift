import Synchronization
import Wire

/// An add-on that is a script in Lua: asked within this process, at once.
///
/// It is bounded in instructions and memory, and reaches neither files nor the network.
public final class LuaAddon: LiveAddon {
    private let name: String
    private let source: [UInt8]
    private let limits: AddonLimits
    private let report: AddonReport
    private let lock = Mutex(AddonCounts())
    private let greeting = Mutex<AddonHello?>(nil)
    // Safety: used while `lock` is held alone.
    private nonisolated(unsafe) var script: LuaScript?
    // Safety: used while `lock` is held alone.
    private nonisolated(unsafe) var warned: (text: String, at: Instant)?

    /// A script that is not loaded.
    ///
    /// - Parameters:
    ///   - source: The text of the script.
    ///   - name: Its name in messages.
    ///   - limits: How much it may take.
    ///   - report: Receives what it says besides its verdicts.
    public init(
        _ source: [UInt8], name: String, limits: AddonLimits = AddonLimits(), report: AddonReport
    ) {
        self.source = source
        self.name = name
        self.limits = limits
        self.report = report
    }

    /// What it asks for; nil while it is not loaded.
    public var hello: AddonHello? { greeting.withLock(\.self) }

    /// What was counted.
    public var counts: AddonCounts { lock.withLock(\.self) }

    /// Loads it.
    ///
    /// - Returns: Whether it runs.
    public func start() -> Bool {
        let show = report.line
        let made = LuaScript(limits: limits, show: { show($0) })
        let problem = made?.load(source, name: name)
        guard let made, problem == nil else {
            report.warning(problem ?? "there is no memory for it")
            lock.withLock { $0.failures += 1 }
            return false
        }
        let hello = AddonHello(made.subscriptions)
        lock.withLock { counts in
            counts.starts += 1
            script = made
        }
        greeting.withLock { $0 = hello }
        report.listens(hello)
        return true
    }

    /// Decides about an event.
    public func judge(
        _ event: AddonEvent, _ interest: AddonInterest
    ) -> (verdict: AddonVerdict, asides: [AddonAside])? {
        let (outcome, warning) = lock.withLock { counts -> (LuaScript.Outcome?, String?) in
            guard let script else { return (nil, nil) }
            let outcome = script.judge(event, interest.subscriptions)
            counts.asked += 1
            counts.verdicts[outcome.verdict.name, default: 0] += 1
            guard let problem = outcome.problem else { return (outcome, nil) }
            counts.failures += 1
            return (outcome, isNew(problem) ? problem : nil)
        }
        if let warning { report.warning("\(warning); the event passes") }
        guard let outcome else { return (.pass, []) }
        return (interest.isAwaited ? outcome.verdict : .pass, outcome.asides)
    }

    /// Decides about an event; the reply comes before this returns.
    public func ask(
        _ event: AddonEvent, _ interest: AddonInterest,
        reply: @escaping @Sendable (AddonReply) -> Void
    ) {
        guard let found = judge(event, interest) else { return reply(.verdict(.pass)) }
        for aside in found.asides { reply(.aside(aside)) }
        reply(.verdict(found.verdict))
    }

    /// Returns, since nothing waits.
    public func waitForRoom() {}

    /// Calls what is to be called at the end, and forgets the script.
    public func finish(isAborted: Bool) {
        greeting.withLock { $0 = nil }
        let outcome = lock.withLock { counts -> LuaScript.Outcome? in
            defer { script = nil }
            guard !isAborted, let outcome = script?.end() else { return nil }
            if outcome.problem != nil { counts.failures += 1 }
            return outcome
        }
        for aside in outcome?.asides ?? [] { report.aside(aside) }
        if let problem = outcome?.problem { report.warning(problem) }
    }

    /// Whether a problem was not reported within the last minute.
    private func isNew(_ problem: String) -> Bool {
        let now = report.now()
        if let warned, warned.text == problem,
            now.nanoseconds - warned.at.nanoseconds < 60_000_000_000
        {
            return false
        }
        warned = (problem, now)
        return true
    }
}
