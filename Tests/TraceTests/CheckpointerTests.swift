import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Trace

@Suite("The log is moved behind the commits, and who waits for it is told")
struct CheckpointerTests {
    @Test func `waiting for a while ends though it is not done, and leaves no signal behind`()
        throws
    {
        let trace = try TemporaryTrace()
        try trace.writer().finish()
        let (mayGoOn, hasBegun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let passes = Atomic(0)
        let checkpointer = Checkpointer(
            path: trace.path,
            mayMove: {
                hasBegun.signal()
                mayGoOn.wait()
                return true
            }, hasMoved: { if $0 { passes.add(1, ordering: .relaxed) } })
        // Nothing is being moved.
        checkpointer.wait()
        for pass in 1...20 {
            checkpointer.request()
            hasBegun.wait()
            checkpointer.wait(atMost: .milliseconds(1))
            #expect(checkpointer.progress.isBusy)
            #expect(passes.load(ordering: .relaxed) == pass - 1)
            mayGoOn.signal()
            // A signal left over from the wait before would end this one too early.
            checkpointer.wait()
            #expect(!checkpointer.progress.isBusy)
            #expect(passes.load(ordering: .relaxed) == pass)
        }
        checkpointer.end()
    }
}
