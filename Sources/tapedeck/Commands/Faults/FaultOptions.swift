import ArgumentParser
import Faults
import Foundation

/// Options for faults, which are injected on purpose.
struct FaultOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Inject the faults of this plan file, or of the pack of this name; may be repeated.",
            valueName: "file|pack"),
        completion: .custom { _, _, prefix in Completion.plans(prefix) })
    var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "Inject faults by this rule, FILTER => ACTION key=value; may be repeated.",
            valueName: "rule"))
    var fault: [String] = []

    @Option(help: ArgumentHelp("Random seed of the fault rules.", valueName: "number"))
    var seed: UInt64?

    /// The plan of all options; nil without any.
    ///
    /// - Throws: ``Failure`` with the place of a mistake, before anything starts.
    func plan() throws(Failure) -> FaultPlan? {
        guard !faults.isEmpty || !fault.isEmpty else { return nil }
        var plan = FaultPlan()
        for name in faults { plan = plan.adding(try PlanSource(name, option: "--faults ").plan()) }
        for line in fault {
            do throws(FaultPlanError) {
                plan = try plan.adding(line: line, recordings: .ofThisMachine)
            } catch {
                throw Failure(.usage, "--fault: \(error.report())")
            }
        }
        return try plan.readingBodies(beside: nil)
    }

    /// A session that plays a plan with the given seed, the plan's, or a new one.
    func session(of plan: FaultPlan) -> FaultSession {
        FaultSession(
            plan: plan, seed: seed ?? plan.seed ?? UInt64.random(in: 0...999_999_999),
            files: .ofThisMachine, recordings: .ofThisMachine)
    }
}
