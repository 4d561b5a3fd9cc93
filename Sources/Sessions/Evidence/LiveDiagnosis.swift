package import Diagnosis
import Dispatch
import Foundation
import Platform
import Synchronization
package import Trace
package import Wire

/// Diagnoses a session while it is recorded, on a separate thread.
///
/// Reads the trace after the writer, passes on each finding as it is made and stores it in the
/// trace. The thread has the lowest priority, and falls behind rather than slow the proxy down.
package final class LiveDiagnosis: Sendable {
    private struct State {
        var isOver = false
        var reported: Set<FindingRow> = []
        var behind: Int64 = 0
        var failure: String?
    }

    private let writer: TraceWriter
    private let patienceNanoseconds: Int64?
    private let onFinding: @Sendable (Finding) -> Void
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)
    private let bell = DispatchSemaphore(value: 0)

    /// Nanoseconds between two reads of the trace.
    private static let interval: Int64 = 100_000_000
    /// Nanoseconds before rows are read, since threads overtake each other.
    private static let patience: Int64 = 50_000_000

    /// Starts; nothing was recorded yet.
    ///
    /// - Parameters:
    ///   - writer: The writer of the session.
    ///   - patienceNanoseconds: How long each duty may wait; nil for the deadlines of the rules.
    ///   - onFinding: Receives each finding, on the thread of the diagnosis.
    /// - Throws: ``TraceError`` where the trace cannot be read.
    package init(
        _ writer: TraceWriter, patienceNanoseconds: Int64? = nil,
        onFinding: @escaping @Sendable (Finding) -> Void
    ) throws(TraceError) {
        self.writer = writer
        self.patienceNanoseconds = patienceNanoseconds
        self.onFinding = onFinding
        let begun = Mutex<TraceError?>(nil)
        let isOpen = DispatchSemaphore(value: 0)
        // Nothing of SQLite may leave the thread.
        let failure = Shared(begun)
        let thread = Thread { [self] in
            Processes.lowerPriorityOfThread()
            do throws(TraceError) {
                let reader = try EvidenceReader(
                    path: writer.path, session: writer.session, bounds: nil)
                isOpen.signal()
                run(reader)
            } catch {
                failure.value.withLock { $0 = error }
                isOpen.signal()
            }
            ended.signal()
        }
        thread.name = "diagnosis"
        thread.stackSize = 1 << 23
        thread.start()
        isOpen.wait()
        if let error = failure.value.withLock({ $0 }) { throw error }
    }

    /// Ends; the trace is not read any more.
    package func stop() {
        state.withLock { $0.isOver = true }
        bell.signal()
        ended.wait()
    }

    /// Whether the finding was printed while it was made.
    package func hasReported(_ row: FindingRow) -> Bool {
        state.withLock { $0.reported.contains(row.unplaced) }
    }

    /// Nanoseconds that it was behind the traffic at most, up to its end.
    package var behind: Int64 { state.withLock { $0.behind } }

    /// Why it ended early; nil where it did not.
    package var failure: String? { state.withLock { $0.failure } }

    // MARK: The thread

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func run(_ reader: EvidenceReader) {
        let source = EvidenceSource(reader)
        let rows = FindingRows(reader.contents)
        var diagnosis = Diagnosis(patienceNanoseconds: patienceNanoseconds)
        var done = Instant.zero
        do throws(TraceError) {
            while !isOver {
                let moment = try settled(reader)
                while done < moment, !isOver {
                    let batch = try source.next(upto: moment, isOver: false)
                    for each in batch.evidence { diagnosis.observe(each) }
                    tell(diagnosis.takeNew(), rows)
                    guard batch.isLast else {
                        measure(reader, upto: source.last)
                        continue
                    }
                    done = moment
                    diagnosis.advance(to: moment)
                    tell(diagnosis.takeNew(), rows)
                }
                _ = bell.wait(timeout: .now() + .nanoseconds(Int(Self.interval)))
            }
        } catch {
            state.withLock { $0.failure = error.reason }
        }
        measure(reader, upto: max(done, source.last))
    }

    /// Notes how far it is behind what arrived, where that is more than before.
    private func measure(_ reader: EvidenceReader, upto last: Instant) {
        let newest = (try? reader.newest()) ?? last
        state.withLock { $0.behind = max($0.behind, newest.nanoseconds - last.nanoseconds) }
    }

    /// The time up to which the trace is complete.
    private func settled(_ reader: EvidenceReader) throws(TraceError) -> Instant {
        // Read before: later rows have a later time.
        let now = writer.now()
        let newest = writer.isIdle ? now : try reader.newest() ?? .zero
        return Instant(nanoseconds: newest.nanoseconds - Self.patience)
    }

    private func tell(_ findings: [Finding], _ rows: FindingRows) {
        guard !findings.isEmpty else { return }
        let made = findings.map(rows.row)
        state.withLock { state in
            for row in made { state.reported.insert(row.unplaced) }
        }
        for finding in findings { onFinding(finding) }
        _ = writer.put(made.map { .finding($0) })
    }
}

extension FindingRow {
    /// The finding without its message, which may grow.
    fileprivate var unplaced: FindingRow {
        var row = self
        (row.chunk, row.offset, row.detail, row.expected) = (nil, 0, "", "")
        return row
    }
}

/// Carries a value that cannot be copied into a closure.
private final class Shared<Value: ~Copyable & Sendable>: Sendable {
    package let value: Value

    package init(_ value: consuming Value) { self.value = value }
}
