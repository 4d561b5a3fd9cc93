import ConvergenceWorld
import Testing

/// Eight clients and three buckets with connections cut and changes refused at random.
///
/// At the end all have the same, every change that was acknowledged is in the history of the
/// server, which is kept whole, and none is there twice.
@Suite struct ConvergenceUnderFireTests {
    /// Edits of each seed, or as many as `TAPEDECK_FIRE_EDITS` says.
    private static let edits = ProcessEnvironment.number("TAPEDECK_FIRE_EDITS") ?? 2000

    private func world(
        _ seed: UInt64, _ plan: FirePlan, isWritten: Bool = false
    ) -> FireWorld<PlainLine> {
        FireWorld(
            seed: seed, plan, line: PlainLine(clients: plan.clients, isWritten: isWritten))
    }

    private func run(_ seed: UInt64, _ plan: FirePlan, isWritten: Bool) {
        var world = world(seed, plan, isWritten: isWritten)
        let problems = world.run()
        #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(8).joined(separator: "\n"))")
        #expect(world.ledger.count == plan.edits)
        #expect(world.cuts > plan.edits / 100)
        #expect(world.ledger.acceptedCount > plan.edits / 4)
    }

    @Test(arguments: ProcessEnvironment.seeds(56)) func `keeps every edit once`(seed: UInt64) {
        var plan = FirePlan()
        plan.edits = Self.edits
        run(seed, plan, isWritten: seed.isMultiple(of: 8))
    }

    @Test func `stays different where a refusal is for good, until the app gives up`() {
        var plan = FirePlan()
        plan.edits = 300
        plan.codes = [400, 413]
        plan.givesUp = false
        var world = world(1, plan)
        _ = world.run()
        // The app's work is kept, and nothing but the app can say what is to become of it.
        #expect(!world.differences().isEmpty)
    }

    @Test(arguments: [409, 412])
    func `loses an edit to a server that says it has what it has not`(
        code: Int
    ) {
        var plan = FirePlan()
        plan.edits = 300
        plan.codes = [code]
        var world = world(2, plan)
        let problems = world.run()
        // All end with the same, since these codes mean that the server's version is the right one.
        #expect(world.differences() == [])
        #expect(problems.allSatisfy { $0.contains("is lost") || $0.contains("again") })
        #expect(!problems.isEmpty)
    }

    @Test func `finds an edit that was made and is sent anew as if it had not been`() {
        var plan = FirePlan()
        plan.edits = 300
        plan.codes = []
        plan.lies = true
        var world = world(3, plan)
        let problems = world.run()
        #expect(problems.contains { $0.contains("again") || $0.contains("twice") })
    }
}
