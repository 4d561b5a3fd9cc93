import ArgumentParser
import Faults
import Foundation

/// What is done to the traffic on purpose.
struct FaultOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Break the traffic as this plan, or pack of that name, says; may be repeated.",
            valueName: "file|pack"))
    var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "Break the traffic by this rule, FILTER => ACTION key=value; may be repeated.",
            valueName: "rule"))
    var fault: [String] = []

    @Option(help: ArgumentHelp("Where all chance comes from.", valueName: "number"))
    var seed: UInt64?

    /// The plan of all options; nil where nothing was asked for.
    ///
    /// - Throws: ``Failure`` with the place of a mistake, before anything starts.
    func plan() throws(Failure) -> FaultPlan? {
        guard !faults.isEmpty || !fault.isEmpty else { return nil }
        var plan = FaultPlan()
        for name in faults { plan = plan.adding(try PlanSource(name, option: "--faults ").plan()) }
        for line in fault {
            do throws(FaultPlanError) {
                plan = try plan.adding(line: line)
            } catch {
                throw Failure(.usage, "--fault: \(error.report())")
            }
        }
        return try plan.readingBodies(beside: nil)
    }

    /// A session that plays a plan with the seed that was asked for, the plan's, or a new one.
    func session(of plan: FaultPlan) -> FaultSession {
        FaultSession(plan: plan, seed: seed ?? plan.seed ?? UInt64.random(in: 0...999_999_999))
    }
}
