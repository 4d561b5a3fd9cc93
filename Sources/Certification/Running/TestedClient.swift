/// The client that is led through a scenario.
public protocol TestedClient: Sendable {
    /// How it ended, for people; nil as long as it goes on.
    func ending() -> String?

    /// Ends it, whatever it does.
    ///
    /// - Returns: How it ended, for people.
    func stop() async -> String
}
