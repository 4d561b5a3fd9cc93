import Dispatch
import Foundation
import Testing

@testable import tapedeck

@Suite struct CaughtSignalsTests {
    @Test func aSignalIsCaughtAsSoonAsTheyAreMade() {
        // Ignored, as the default would end the tests, until it is caught.
        signal(SIGURG, SIG_IGN)
        for _ in 0..<100 {
            let came = DispatchSemaphore(value: 0)
            let signals = CaughtSignals([SIGURG, SIGWINCH]) { number in
                if number == SIGURG { came.signal() }
            }
            kill(getpid(), SIGURG)
            #expect(came.wait(timeout: .now() + .seconds(20)) == .success)
            withExtendedLifetime(signals) {}
        }
    }
}
