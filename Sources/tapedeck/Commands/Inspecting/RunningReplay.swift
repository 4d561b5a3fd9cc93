import Dispatch
import Inspection
import Platform
import Synchronization

/// `replay server` of a trace, started for a page.
final class RunningReplay: ReplayProcess {
    let address: String
    private let program: RunningProgram

    private init(_ program: RunningProgram, address: String) {
        self.program = program
        self.address = address
    }

    var isRunning: Bool { !program.process.hasEnded(withinMilliseconds: 0) }

    /// Starts it, and waits until it listens.
    static func start(_ trace: String) async -> (process: (any ReplayProcess)?, errors: String) {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: started(trace)) }
        }
    }

    private static func started(
        _ trace: String
    ) -> (process: (any ReplayProcess)?, errors: String) {
        guard
            let program = RunningProgram(
                ["replay", "server", "--listen=127.0.0.1:0", trace])
        else { return (nil, "tapedeck cannot be started") }
        var output: [UInt8] = []
        while let piece = program.output.next() {
            output += piece
            guard let end = output.firstIndex(of: 0x0A) else { continue }
            let line = String(decoding: output[..<end], as: UTF8.self)
            guard line.hasPrefix("listening on ") else { continue }
            drain(program)
            let place = line.dropFirst("listening on ".count)
            return (RunningReplay(program, address: "http://\(place)"), "")
        }
        let errors = String(decoding: program.errors.readAll(atMost: 64 << 10), as: UTF8.self)
        _ = program.process.wait()
        return (nil, errors)
    }

    /// Reads what it writes from now on, so that it never waits for that.
    private static func drain(_ program: RunningProgram) {
        for pipe in [program.output, program.errors] {
            DispatchQueue.global().async { while pipe.next() != nil {} }
        }
    }

    func stop() async {
        program.process.send(SIGTERM)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [program] in
                if !program.process.hasEnded(withinMilliseconds: 5_000) {
                    program.process.send(SIGKILL)
                }
                _ = program.process.wait()
                continuation.resume()
            }
        }
    }
}
