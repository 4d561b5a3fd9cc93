import Dispatch
import Fleet
import Foundation
import Synchronization

/// Ships a trace beside its recording, on a thread of its own.
///
/// The recording never waits for it: what cannot be shipped stays in the trace.
final class RecordedShipping: Sendable {
    private let options: ShippingOptions
    private let trace: String
    private let wasStopped = Mutex(false)
    private let news = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    /// Nanoseconds between two rounds.
    private static let interval: Int64 = 2_000_000_000
    /// Nanoseconds that the end of a recording waits for a server.
    private static let patience: Int64 = 10_000_000_000

    /// Starts to ship `trace`, which is being recorded.
    ///
    /// - Throws: ``Failure`` where the ledger cannot be written.
    init(_ options: ShippingOptions, trace: String) throws(Failure) {
        self.options = options
        self.trace = trace
        do throws(FleetError) {
            // From now on nothing is evicted that was not shipped.
            try FleetShipping.begin(trace)
        } catch {
            throw Failure(error)
        }
        Thread { [self] in
            run()
            end.signal()
        }.start()
    }

    private func run() {
        var live = options
        live.patience = 0
        let shipping = FleetShipping(live, surroundings { self.wasStopped.withLock { $0 } })
        do throws(FleetError) {
            try shipping.follow(
                { () throws(FleetError) in [trace] }, every: Self.interval, report: { _ in })
        } catch {
            say(error.reason)
        }
    }

    private func say(_ line: String) { StandardError.write("tapedeck: \(line)\n") }

    private func surroundings(_ isStopped: @escaping () -> Bool) -> Shipper.Surroundings {
        Shipper.Surroundings(
            unixNow: { Int64(Date().timeIntervalSince1970 * 1e9) },
            wait: { [news] in _ = news.wait(timeout: .now() + .nanoseconds(Int($0))) },
            isStopped: isStopped, say: { self.say($0) })
    }

    /// Ships what is left, after the recording has ended, and says how far that came.
    func finish() {
        wasStopped.withLock { $0 = true }
        news.signal()
        end.wait()
        var last = options
        last.patience = Self.patience
        do throws(FleetError) {
            _ = try FleetShipping(last, surroundings { false }).ship(trace)
            let status = try ShippingStatus(trace: trace)
            StandardOutput.write(
                "\(Summary.count(status.rows, "row")) shipped to \(options.address)\n")
        } catch {
            say("\(error.reason); not all is shipped: tapedeck ship \(trace) goes on with it")
        }
    }
}
