import Dispatch
import HTTPLayer
import Platform

/// Follows the app lifecycle by signals: SIGUSR1 puts the client in the background, SIGUSR2 in the
/// foreground.
final class ClientLifecycle {
    private let sources: [any DispatchSourceSignal]

    init(of manager: HTTPManager) {
        let moves: [(Int32, Lifecycle, String)] = [
            (SIGUSR1, .background, "in the background"),
            (SIGUSR2, .foreground, "in the foreground"),
        ]
        sources = moves.map { number, lifecycle, detail in
            // The default action of the signal ends the program.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                manager.lifecycle = lifecycle
                StandardError.write("tapedeck: \(detail)\n")
            }
            source.resume()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }
}
