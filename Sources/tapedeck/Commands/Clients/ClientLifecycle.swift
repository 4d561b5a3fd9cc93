import HTTPLayer
import Platform

/// Follows the app lifecycle by signals: SIGUSR1 puts the client in the background, SIGUSR2 in the
/// foreground.
final class ClientLifecycle {
    private let signals: CaughtSignals

    init(of manager: HTTPManager) {
        let moves: [Int32: (Lifecycle, String)] = [
            SIGUSR1: (.background, "in the background"),
            SIGUSR2: (.foreground, "in the foreground"),
        ]
        signals = CaughtSignals(Array(moves.keys)) { number in
            guard let (lifecycle, detail) = moves[number] else { return }
            manager.lifecycle = lifecycle
            StandardError.write("tapedeck: \(detail)\n")
        }
    }
}
