package import Diagnosis
import Dispatch
import Platform
import Synchronization
package import Wire

/// A diagnosis whose rules follow the evidence on a thread for each lane.
package struct DiagnosisLanes {
    /// A lane with its queued evidence and its findings.
    ///
    /// At most one step is running: the caller that requests the next takes the findings of the
    /// last.
    private final class Worker: Sendable {
        private let lane: Mutex<DiagnosisLane>
        private let queue: DispatchQueue
        private let found = Mutex<[[DiagnosisLane.Found]]>([])
        private let ready = DispatchSemaphore(value: 0)

        init(_ number: Int, patienceNanoseconds: Int64?) {
            lane = Mutex(DiagnosisLane(number, patienceNanoseconds: patienceNanoseconds))
            queue = BlockingWork.queue("lane \(number)", .userInitiated)
        }

        func begin(_ step: @escaping @Sendable (inout DiagnosisLane) -> [DiagnosisLane.Found]) {
            queue.async { [self] in
                let all = lane.withLock { step(&$0) }
                found.withLock { $0.append(all) }
                ready.signal()
            }
        }

        func take() -> [DiagnosisLane.Found] {
            ready.wait()
            return found.withLock { $0.removeFirst() }
        }
    }

    /// Steps that may be running: enough that a lane whose evidence is cheap for it seldom waits
    /// for the others.
    private static let most = 16

    private let workers: [Worker]
    private var diagnosis: Diagnosis
    private var underWay = 0

    /// A diagnosis with the patience of ``Diagnosis/init(patienceNanoseconds:)``.
    package init(patienceNanoseconds: Int64? = nil) {
        workers = (0..<DiagnosisLane.count).map {
            Worker($0, patienceNanoseconds: patienceNanoseconds)
        }
        diagnosis = Diagnosis(patienceNanoseconds: patienceNanoseconds)
    }

    /// Takes the next evidence; blocks while too many steps are running.
    package mutating func observe(_ batch: [Evidence]) {
        begin { $0.observe(batch) }
    }

    /// Ends the session and waits for running steps.
    package mutating func finish(at end: Instant, isRunning: Bool) -> Diagnosis {
        begin { $0.finish(at: end, isRunning: isRunning) }
        while underWay > 0 { join() }
        return diagnosis
    }

    private mutating func begin(
        _ step: @escaping @Sendable (inout DiagnosisLane) -> [DiagnosisLane.Found]
    ) {
        if underWay == Self.most { join() }
        for worker in workers { worker.begin(step) }
        underWay += 1
    }

    /// Takes the findings of the oldest step.
    private mutating func join() {
        diagnosis.join(workers.map { $0.take() })
        underWay -= 1
    }
}
