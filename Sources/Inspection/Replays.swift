internal import Serving

/// The replay servers that pages have started, one of a trace at most.
actor Replays {
    private var running: [String: any ReplayProcess] = [:]

    /// Where the replay of a trace listens; nil where none runs.
    func address(of trace: String) -> String? {
        guard let process = running[trace] else { return nil }
        guard process.isRunning else {
            running[trace] = nil
            return nil
        }
        return process.address
    }

    /// Starts a replay, unless one runs.
    ///
    /// - Throws: ``ServedProblem`` where it does not start.
    func start(_ trace: String, _ tools: any InspectionTools) async throws(ServedProblem) {
        guard address(of: trace) == nil else { return }
        let (process, errors) = await tools.replay(trace)
        guard let process else {
            throw ServedProblem(
                500, "not-started", errors, hint: "tapedeck replay server \(trace) says more")
        }
        // Another page may have started one meanwhile.
        guard address(of: trace) == nil else { return await process.stop() }
        running[trace] = process
    }

    /// Stops the replay of a trace.
    func stop(_ trace: String) async {
        let process = running.removeValue(forKey: trace)
        await process?.stop()
    }

    /// Stops all.
    func stopAll() async {
        for trace in running.keys { await stop(trace) }
    }
}
