import Inspection
import Platform

/// `replay server` of a trace, started for a page.
final class RunningReplay: ReplayProcess {
    typealias Started = (process: (any ReplayProcess)?, errors: String)

    let address: String
    private let child: ChildProcess

    private init(_ child: ChildProcess, address: String) {
        self.child = child
        self.address = address
    }

    var isRunning: Bool { !child.hasEnded(withinMilliseconds: 0) }

    /// Starts it, and waits until it listens.
    static func start(_ trace: String) async -> Started {
        await withCheckedContinuation { continuation in
            BlockingWork.start("replay") { follow(trace) { continuation.resume(returning: $0) } }
        }
    }

    /// Reads what it writes to its end, so that it never waits for that.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - started: Called once, when it listens or has ended without.
    private static func follow(_ trace: String, started: (Started) -> Void) {
        do throws(Failure) {
            let (child, pipes) = try OwnCommand.start(
                ["replay", "server", "--listen=127.0.0.1:0", trace])
            var isListening = false
            var output: [UInt8] = []
            var errors: [UInt8] = []
            while let (isOutput, bytes) = pipes.read(withinMilliseconds: -1) {
                guard !isListening else { continue }
                guard isOutput else {
                    errors += bytes
                    continue
                }
                output += bytes
                guard let place = place(in: output) else { continue }
                isListening = true
                started((RunningReplay(child, address: "http://\(place)"), ""))
            }
            guard !isListening else { return }
            _ = child.wait()
            started((nil, OwnCommand.words(errors)))
        } catch {
            started((nil, error.detail))
        }
    }

    /// Where it says that it listens; nil before it does.
    private static func place(in output: [UInt8]) -> String? {
        guard let end = output.firstIndex(of: 0x0A) else { return nil }
        let line = String(decoding: output[..<end], as: UTF8.self)
        let start = "listening on "
        return line.hasPrefix(start) ? String(line.dropFirst(start.count)) : nil
    }

    func stop() async {
        child.send(SIGTERM)
        await BlockingWork.result("replay") { [child] in
            if !child.hasEnded(withinMilliseconds: 5_000) { child.send(SIGKILL) }
            _ = child.wait()
        }
    }
}
