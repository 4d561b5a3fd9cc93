import ArgumentParser
import Control
import Faults
import Foundation

/// Options for the control interface of a running proxy.
struct ControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Path of the socket for `tapedeck faults` (default: TRACE.control).",
            valueName: "path"))
    var control: String?

    @Flag(help: "Disable the control interface.")
    var noControl = false

    @Option(
        help: ArgumentHelp(
            "Also listen for control on this loopback address, with a token.",
            valueName: "host:port"))
    var controlListen: ListenAddress?

    func validate() throws {
        if noControl, control != nil || controlListen != nil {
            throw ValidationError("--no-control excludes the other control options")
        }
    }

    /// Path of the socket of a recording to `trace`; nil for none.
    func path(trace: String) -> String? { noControl ? nil : control ?? "\(trace).control" }

    /// Where control listens on loopback; nil for nowhere.
    var loopback: ControlConfiguration.Loopback? {
        controlListen.map { ControlConfiguration.Loopback(host: $0.host, port: $0.port) }
    }
}

extension FaultOptions {
    /// The files that are read again when they change; nil where there are only packs and rules.
    var planFiles: ControlConfiguration.PlanFiles? {
        let names = faults
        let lines = fault
        let files = names.filter(PlanSource.isFile)
        guard !files.isEmpty else { return nil }
        return ControlConfiguration.PlanFiles(files) { plans throws(FaultPlanError) in
            var rest = plans[...]
            var plan = FaultPlan()
            for name in names {
                if files.contains(name) {
                    plan = plan.adding(rest.popFirst() ?? FaultPlan())
                } else if let pack = FaultPack.named(name) {
                    plan = plan.adding(try pack.plan())
                }
            }
            for line in lines { plan = try plan.adding(line: line) }
            return plan
        }
    }
}

extension Failure {
    /// Why the control interface does not start.
    init(_ error: ControlError) {
        let status: Status =
            switch error.code {
            case .notLoopback: .usage
            case .inUse: .temporary
            case .badAddress, .failed: .io
            }
        self.init(status, error.reason)
    }
}
