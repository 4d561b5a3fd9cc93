import ArgumentParser
import Inspection

/// The inspector of a recording: `--inspect`.
struct InspectOptions: ParsableArguments {
    @Flag(help: "Serve a page in which the recording is watched, and print its address.")
    var inspect = false

    @Option(
        help: ArgumentHelp(
            "Serve that page here (default: a free port of 127.0.0.1).", valueName: "host:port"))
    var inspectListen: ListenAddress?

    /// Starts the inspector where one is asked for, and prints its address.
    ///
    /// - Parameters:
    ///   - trace: The trace that is written.
    ///   - controlPath: The socket of the control interface; nil where there is none.
    ///   - recording: How clients reach the recording, and whom they have to trust.
    /// - Returns: The inspector; nil where none is asked for.
    /// - Throws: ``Failure`` where it cannot listen.
    func start(
        _ trace: String, controlPath: String?, recording: RecordingSetup
    ) async throws(Failure) -> InspectionServer? {
        guard inspect || inspectListen != nil else { return nil }
        var configuration = InspectionConfiguration(
            traces: [.init(path: trace, controlPath: controlPath)],
            tools: InspectorTools(recording: recording),
            version: Program.version)
        let place = inspectListen ?? ListenAddress(host: "127.0.0.1", port: 0)
        configuration.host = place.host
        configuration.port = place.port
        let inspector = try await Inspector.start(configuration)
        StandardOutput.write("inspector at \(inspector.url)\n")
        return inspector
    }
}
