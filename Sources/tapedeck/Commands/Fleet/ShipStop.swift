import Dispatch
import Fleet
import Foundation
import Synchronization

/// The end of shipping as signals ask for it.
final class ShipStop: Sendable {
    private let signal = StopSignal()
    private let wasRequested = Mutex(false)
    private let semaphore = DispatchSemaphore(value: 0)

    init() {
        signal.whenStopped { [self] in request() }
    }

    /// Asks for the end.
    func request() {
        wasRequested.withLock { $0 = true }
        semaphore.signal()
    }

    /// Whether the end was asked for.
    var isRequested: Bool { wasRequested.withLock { $0 } }

    /// What shipping needs of the program.
    var surroundings: Shipper.Surroundings {
        Shipper.Surroundings(
            unixNow: { Int64(Date().timeIntervalSince1970 * 1e9) },
            wait: { self.wait(nanoseconds: $0) }, isStopped: { self.isRequested },
            say: { StandardError.write("tapedeck: \($0)\n") })
    }

    /// Waits, until the end is asked for or the time is over.
    func wait(nanoseconds: Int64) {
        guard !isRequested else { return }
        if semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success {
            // For those who wait next.
            semaphore.signal()
        }
    }
}
