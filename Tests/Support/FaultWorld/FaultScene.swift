import ConvergenceWorld
import Faults
import Wire

/// A world whose connections go through the proxy, with a plan of faults.
struct FaultScene {
    private(set) var world: FireWorld<FaultLine>

    /// A scene of which everything is decided by `seed`.
    ///
    /// - Parameters:
    ///   - seed: Decides everything.
    ///   - rules: The faults, until calm comes.
    ///   - edits: How often somebody edits something until then.
    ///   - cuts: In how many of a hundred steps a client closes its connection; in as many it is
    ///     killed.
    ///   - link: How long messages are on their way.
    /// - Throws: `FaultPlanError` where a rule is none.
    init(
        seed: UInt64, rules: [String], edits: Int, cuts: Int, link: FirePlan.Link = .any
    ) throws {
        var fire = FirePlan()
        fire.link = link
        fire.edits = ProcessEnvironment.number("TAPEDECK_FIRE_EDITS") ?? edits
        fire.codes = []
        fire.cuts = cuts
        fire.heartbeatIdle = 1_000_000_000
        // Until an answer is missing, which is noticed last.
        fire.silence = 70_000_000_000
        world = FireWorld(
            seed: seed, fire,
            line: FaultLine(
                clients: fire.clients, session: try Self.session(seed: seed, rules)))
    }

    /// A scene under a plan, such as that of a pack.
    init(
        seed: UInt64, plan: FaultPlan, edits: Int, cuts: Int, link: FirePlan.Link = .any
    ) {
        var fire = FirePlan()
        fire.link = link
        fire.edits = edits
        fire.codes = []
        fire.cuts = cuts
        fire.heartbeatIdle = 1_000_000_000
        fire.silence = 70_000_000_000
        world = FireWorld(
            seed: seed, fire,
            line: FaultLine(
                clients: fire.clients, session: FaultSession(plan: plan, seed: seed)))
    }

    static func session(seed: UInt64, _ rules: [String]) throws -> FaultSession {
        var plan = FaultPlan()
        for rule in rules { plan = try plan.adding(line: rule) }
        return FaultSession(plan: plan, seed: seed)
    }

    /// All records of all connections, in the order in which they are written to a trace.
    ///
    /// In the world much happens in one moment; here each record is a microsecond after the last.
    var records: [Record] {
        world.line.records.enumerated().map { $1.later(by: Int64($0) * 1_000) }
    }

    /// What had happened when calm came, by client.
    var stories: [FaultTranscript] { world.line.stormyGroups ?? [] }
    /// What faults did until then, by client.
    var rows: [[FaultRow]] { stories.map(\.rows) }
    /// What is wrong whatever faults do.
    var brokenRules: [String] { world.line.stories.flatMap(\.problems) }

    /// Everybody works under fire; then there is calm.
    ///
    /// - Returns: Whether everybody had everything that is to be had in the end.
    mutating func play() -> Bool {
        world.work()
        return world.calm()
    }

    mutating func touchEverything() -> Bool { world.touchEverything() }
}

extension Record {
    /// The same, so many nanoseconds later.
    fileprivate func later(by nanoseconds: Int64) -> Record {
        switch self {
        case .connection(var row):
            row.at.nanoseconds += nanoseconds
            return .connection(row)
        case .leg(var row):
            row.at.nanoseconds += nanoseconds
            return .leg(row)
        case .chunk(var chunk):
            chunk.at.nanoseconds += nanoseconds
            for index in chunk.deliveries.indices {
                chunk.deliveries[index].at?.nanoseconds += nanoseconds
            }
            return .chunk(chunk)
        case .event(var row):
            row.at.nanoseconds += nanoseconds
            return .event(row)
        case .fault(var row):
            row.at.nanoseconds += nanoseconds
            return .fault(row)
        case .gap, .mark, .finding, .packet, .secret: return self
        }
    }
}
