/// A scenario for a client: a server with data, a script, and faults.
///
/// Cases that need the same share one, so that it is played once.
public struct Scenario: Hashable, Sendable, Identifiable {
    /// Something that happens while the client works.
    public struct Deed: Hashable, Sendable {
        /// The event that has to be seen before.
        public let when: ExpectedEvent
        /// The steps of the second client then, directly against the server.
        public let steps: [Step]

        /// Steps of the second client as soon as `when` is seen.
        public init(when: ExpectedEvent, _ steps: [Step]) {
            self.when = when
            self.steps = steps
        }
    }

    /// How the server differs from the usual one.
    public struct Server: Hashable, Sendable {
        /// Whether it sets a cookie on requests without it.
        public var setsCookie = false
        /// The number of 202 answers before it delivers a restore.
        public var restorePolls = 0
        /// Seconds between two pings to each WebSocket; nil for none.
        public var pingSeconds: Int64?

        /// The usual server, but for these values.
        public init(
            setsCookie: Bool = false, restorePolls: Int = 0, pingSeconds: Int64? = nil
        ) {
            self.setsCookie = setsCookie
            self.restorePolls = restorePolls
            self.pingSeconds = pingSeconds
        }
    }

    /// Name within the suite.
    public let id: String
    /// Its title.
    public let title: String
    /// The instructions for an operator with a device.
    public let asks: String
    /// How the server is.
    public let server: Server
    /// The steps of the second client before the scenario.
    public let seed: [Step]
    /// The steps of the client.
    public let script: [Step]
    /// Fault rules of one line, each with a name.
    public let faults: [String]
    /// The actions during the scenario.
    public let deeds: [Deed]
    /// Moments at which the state is compared, besides the end; in their order.
    public let points: [ComparisonPoint]
    /// Seconds after which it is ended in any case.
    public let limit: Double
    /// Whether the client is ended once all expected events were seen and it is silent: its script
    /// ends with a pause that only clients without a reaction need.
    public let lingers: Bool
    /// Data at the end of objects that both clients change at once, by key.
    public let merged: [String: String]
    /// Names of forms that need not be on the server at the end: a fault refuses them for good.
    public let unstored: Set<String>
    /// Names of faults after which nothing comes that would show a recovery: what they refuse is
    /// refused for good, or they say what is not so.
    public let final: Set<String>
    /// Whether the client is refused so that it cannot do the rest of its script.
    public let endsRefused: Bool
    /// The situations that it exercises.
    public let situations: [Situation]

    /// A scenario with these values.
    public init(
        _ id: String, _ title: String, asks: String, server: Server = Server(),
        seed: [Step] = [], script: [Step],
        faults: [String] = [], deeds: [Deed] = [], points: [ComparisonPoint] = [],
        limit: Double = 40, lingers: Bool = false,
        merged: [String: String] = [:], unstored: Set<String> = [],
        final: Set<String> = [], endsRefused: Bool = false,
        situations: [Situation]
    ) {
        self.server = server
        self.lingers = lingers
        self.id = id
        self.title = title
        self.asks = asks
        self.seed = seed
        self.script = script
        self.faults = faults
        self.deeds = deeds
        self.points = points
        self.limit = limit
        self.merged = merged
        self.unstored = unstored
        self.final = final
        self.endsRefused = endsRefused
        self.situations = situations
    }

    /// The steps of the client that count where it was ended as soon as all was seen, before the
    /// pause that only others need was over: those before its longest pause.
    public var scriptUntilPause: [Step] {
        var longest: (place: Int, seconds: Double)?
        for (place, step) in script.enumerated() {
            guard case .pause(let seconds) = step, seconds > longest?.seconds ?? 0 else { continue }
            longest = (place, seconds)
        }
        return longest.map { Array(script[..<$0.place]) } ?? script
    }

    /// The rules that its steps, or its end, make the client break: who breaks a socket, or is
    /// ended, sends no close frame.
    ///
    /// - Parameter isEnded: Whether the client was ended.
    /// - Returns: Identifiers of rules.
    public func askedBreaches(isEnded: Bool) -> Set<String> {
        isEnded || script.contains(.cut) ? ["websocket.no-close-frame"] : []
    }

    /// Whether a fault refuses changes, so that what the server has follows no step.
    public var refusesChanges: Bool {
        faults.contains { $0.hasPrefix("command:c sender:client => error ") }
    }

    /// A file that steps name.
    public struct File: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// What is in it.
        public let content: [UInt8]

        /// A file with this content.
        public init(name: String, content: [UInt8]) {
            self.name = name
            self.content = content
        }
    }

    /// The forms and attachments of the script and of all other steps.
    public var files: [File] {
        var names: Set<String> = []
        for case .submit(let form, let attachments, _) in script + seed + deeds.flatMap(\.steps) {
            names.insert(form)
            names.formUnion(attachments)
        }
        return names.sorted().map { File(name: $0, content: CommCareForms.content(of: $0)) }
    }

    /// The script as JSON lines.
    public func json(bucket: String, folder: String) -> String {
        script.map { $0.json(bucket: bucket, folder: folder) + "\n" }.joined()
    }

    /// The steps as a script of `tapedeck client simperium run`; steps it does not have are left
    /// out.
    public static func text(_ steps: [Step], bucket: String) -> String {
        steps.compactMap { $0.line(bucket: bucket).map { $0 + "\n" } }.joined()
    }
}
