/// The client under test in a scenario.
public protocol TestedClient: Sendable {
    /// How it ended, as text; nil as long as it runs.
    func ending() -> String?

    /// Ends it.
    ///
    /// - Returns: How it ended, as text.
    func stop() async -> String
}
