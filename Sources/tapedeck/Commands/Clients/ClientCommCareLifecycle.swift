import Dispatch
import HTTPLayer
import Platform

/// Takes the lifecycle from outside: SIGUSR1 puts the client in the background, SIGUSR2 in front.
final class ClientCommCareLifecycle {
    private let sources: [any DispatchSourceSignal]

    init(of manager: HTTPManager) {
        let moves: [(Int32, Lifecycle, String)] = [
            (SIGUSR1, .background, "in the background"), (SIGUSR2, .foreground, "in front"),
        ]
        sources = moves.map { number, lifecycle, detail in
            // The default is the end of the program.
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
