import Certification
import Synchronization

/// Reports the progress of a certification: to the operator of a device, or on standard error, in a
/// line that overwrites itself on a terminal and elsewhere in a line for each scenario that is over.
final class CertificationProgress: Sendable {
    private struct State {
        var bar = ProgressBar()
        var ended = 0
        var running: [String] = []
    }

    private let scenarios: Int
    private let isDevice: Bool
    private let isStrict: Bool
    private let state = Mutex(State())

    /// Progress of this many scenarios; findings of severity info count with `isStrict`.
    init(scenarios: Int, isDevice: Bool, isStrict: Bool) {
        self.scenarios = scenarios
        self.isDevice = isDevice
        self.isStrict = isStrict
    }

    /// A scenario began or ended.
    func show(_ progress: Certifier.Progress) {
        switch progress {
        case .began(let scenario, let environment):
            if isDevice { ask(scenario, environment) }
            state.withLock {
                $0.running.append(scenario.id)
                draw(&$0)
            }
        case .ended(let played):
            state.withLock {
                $0.ended += 1
                $0.running.removeAll { $0 == played.scenario.id }
                if isDevice || !StandardError.isTerminal {
                    StandardError.write(
                        "tapedeck: \($0.ended) of \(scenarios): \(played.scenario.id) "
                            + "\(played.outcome(isStrict: isStrict))\n")
                }
                draw(&$0)
                if $0.ended == scenarios { $0.bar.clear() }
            }
        }
    }

    private func draw(_ state: inout State) {
        guard !isDevice else { return }
        state.bar.show(
            done: state.ended, of: scenarios, state.running.joined(separator: ", "))
    }

    /// Prints what the operator has to do with the device.
    private func ask(_ scenario: Scenario, _ environment: [String: String]) {
        let places = environment.filter { $0.key != "TAPEDECK_SCRIPT" && $0.key != "TAPEDECK_CASE" }
            .sorted { $0.key < $1.key }
            .map { "    \($0.key)=\(LocalAddresses.reachable($0.value))\n" }.joined()
        StandardOutput.write(
            "\(scenario.id): \(scenario.title)\n\(places)    \(scenario.asks)\n")
    }
}
