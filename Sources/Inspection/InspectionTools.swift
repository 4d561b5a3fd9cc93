public import Trace
public import Wire

/// What the inspector needs of the program around it.
public protocol InspectionTools: Sendable {
    /// What `show` prints of a row; nil where there is none.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    func text(_ row: RowName, _ reader: TraceReader) throws(TraceError) -> String?

    /// What `show --json` prints of a row; nil where there is none.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    func detail(_ row: RowName, _ reader: TraceReader) throws(TraceError) -> String?

    /// The curl command that repeats an exchange; nil where there is none.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    func curl(_ exchange: ExchangeID, _ reader: TraceReader) throws(TraceError) -> [UInt8]?

    /// Every version of an object that the trace has, a JSON array.
    ///
    /// - Throws: ``TraceError`` where the trace cannot be read.
    func versions(
        of key: String, in bucket: String, _ reader: TraceReader
    ) throws(TraceError) -> String

    /// Runs a command of the program to its end.
    ///
    /// Readings of a whole trace run so: they take memory that is free afterwards, and end when the page
    /// that asked has gone.
    ///
    /// - Parameter arguments: Those after the program's name.
    /// - Returns: What it wrote, and its exit status.
    func run(_ arguments: [String]) async -> ToolOutcome

    /// Runs `export` into a file of its own.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - name: The name of the file, by whose ending the format is known.
    ///   - options: Options and filter.
    /// - Returns: As of ``run(_:)``, with what the file has as its output.
    func export(_ trace: String, _ name: String, _ options: [String]) async -> ToolOutcome

    /// The first bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - most: How many at most.
    /// - Returns: The bytes; nil where there is none, or it cannot be read.
    func contents(of path: String, upTo most: Int) -> [UInt8]?

    /// Writes a file, in place of one that is there.
    ///
    /// - Parameters:
    ///   - bytes: What it has.
    ///   - path: The file.
    /// - Returns: Why that failed; nil where it did not.
    func write(_ bytes: [UInt8], to path: String) -> String?

    /// Starts to replay the server of a trace on a free port of loopback.
    ///
    /// - Parameter trace: The trace.
    /// - Returns: The process, which listens; nil with the reason where it does not.
    func replay(_ trace: String) async -> (process: (any ReplayProcess)?, errors: String)

    /// How clients are pointed at a recording and come to trust its authority, a JSON object.
    func setup() async -> String

    /// Sends a request to the control interface of a recording.
    ///
    /// - Parameters:
    ///   - socket: Its path.
    ///   - method: The method.
    ///   - path: Path and query.
    ///   - body: The body; nil for none.
    ///   - type: Its media type.
    /// - Returns: Status and body; nil where nothing answers.
    func control(
        _ socket: String, _ method: String, _ path: String, _ body: [UInt8]?, _ type: String
    ) async -> (status: Int, body: [UInt8])?
}

/// How a command ended.
public struct ToolOutcome: Hashable, Sendable {
    /// Its exit status.
    public var status: Int
    /// What it wrote to standard output.
    public var output: [UInt8]
    /// What it wrote to standard error.
    public var errors: String

    /// An outcome with these values.
    public init(status: Int, output: [UInt8], errors: String) {
        self.status = status
        self.output = output
        self.errors = errors
    }
}

/// A replay that runs.
public protocol ReplayProcess: Sendable {
    /// Where it listens, `http://HOST:PORT`.
    var address: String { get }
    /// Whether it still runs.
    var isRunning: Bool { get }
    /// Ends it, and waits until it has ended.
    func stop() async
}
