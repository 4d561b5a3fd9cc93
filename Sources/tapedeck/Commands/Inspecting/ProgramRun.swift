import Dispatch
import Inspection
import Platform

/// Runs commands of this program for the inspector, a few at a time.
enum ProgramRun {
    /// The most bytes of an output that are kept, and of what is for people.
    private static let mostOutput = 256 << 20
    private static let mostErrors = 1 << 20
    /// Commands at a time: each may read a whole trace.
    private static let places = DispatchSemaphore(value: 3)

    /// Runs one to its end.
    ///
    /// - Parameter arguments: Those after the program's name.
    /// - Returns: What it wrote, and its exit status.
    static func outcome(_ arguments: [String]) async -> ToolOutcome {
        await BlockingWork.result("run") {
            places.wait()
            defer { places.signal() }
            return run(arguments)
        }
    }

    private static func run(_ arguments: [String]) -> ToolOutcome {
        do throws(Failure) {
            let (child, pipes) = try OwnCommand.start(arguments)
            var output: [UInt8] = []
            var errors: [UInt8] = []
            while let (isOutput, bytes) = pipes.read(withinMilliseconds: -1) {
                if isOutput {
                    output += bytes.prefix(max(0, mostOutput - output.count))
                } else {
                    errors += bytes.prefix(max(0, mostErrors - errors.count))
                }
            }
            return ToolOutcome(
                status: Int(child.wait().status), output: output,
                errors: OwnCommand.words(errors))
        } catch {
            return ToolOutcome(
                status: Int(error.status.rawValue), output: [], errors: error.detail)
        }
    }
}
