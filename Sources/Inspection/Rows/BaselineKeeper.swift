internal import Diagnosis
internal import Notation
internal import Serving
internal import Synchronization

/// Keeps the baseline of a trace: a file with the findings that are known, as `diagnose --baseline` takes it.
final class BaselineKeeper: Sendable {
    /// The largest baseline, in bytes.
    static let most = 1 << 20

    private struct State {
        var text = ""
        var baseline = FindingBaseline()
    }

    private let path: String
    private let tools: any InspectionTools
    private let state = Mutex(State())

    /// The baseline in a file, which need not be there.
    init(path: String, tools: any InspectionTools) {
        self.path = path
        self.tools = tools
        _ = try? read()
    }

    /// What is known.
    var now: FindingBaseline { state.withLock { $0.baseline } }

    /// The baseline as JSON, read from its file again.
    ///
    /// - Parameter canWrite: Whether pages may write it.
    /// - Returns: The object of `openapi.json`.
    /// - Throws: ``ServedProblem`` where the file has a line that is not one of a baseline.
    func answer(canWrite: Bool) throws(ServedProblem) -> String {
        let hasFile = try read()
        var object = JSONObjectText()
        object.add("path", path)
        object.add("is_there", isTrue: hasFile)
        object.add("can_write", isTrue: canWrite)
        object.add("text", state.withLock { $0.text })
        return object.text
    }

    /// Writes another baseline.
    ///
    /// - Throws: ``ServedProblem`` where it is none, or cannot be written.
    func write(_ text: String) throws(ServedProblem) {
        let baseline = try Self.parsed(text, in: "the text")
        if let reason = tools.write(Array(text.utf8), to: path) {
            throw ServedProblem(
                500, "not-written", reason, hint: "download the baseline and keep it elsewhere")
        }
        state.withLock { $0 = State(text: text, baseline: baseline) }
    }

    /// Reads the file.
    ///
    /// - Returns: Whether there is one.
    @discardableResult private func read() throws(ServedProblem) -> Bool {
        guard let bytes = tools.contents(of: path, upTo: Self.most) else {
            state.withLock { $0 = State() }
            return false
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let baseline = try Self.parsed(text, in: path)
        state.withLock { $0 = State(text: text, baseline: baseline) }
        return true
    }

    private static func parsed(
        _ text: String, in place: String
    ) throws(ServedProblem) -> FindingBaseline {
        do throws(FindingBaseline.Mistake) {
            return try FindingBaseline(parsing: text)
        } catch {
            throw ServedProblem(
                400, "bad-baseline", "line \(error.line) of \(place) is no line of a baseline",
                hint: "a line is a rule and a fingerprint, or a rule alone")
        }
    }
}
