/// A moment of a scenario at which the server's state and a second client's view are compared with
/// the script, besides its end.
///
/// The client rests then, so that nothing changes while it is looked at.
public struct ComparisonPoint: Hashable, Sendable {
    /// When it is: begins the sentence of a difference, as "before the connection is cut".
    public let name: String
    /// The event that has to be seen before.
    public let when: ExpectedEvent
    /// The number of steps of the client's script, from its first, that the server has seen then.
    public let steps: Int

    /// A moment after the first `steps` steps, as soon as `when` is seen and the second client has
    /// done its steps.
    public init(_ name: String, when: ExpectedEvent, steps: Int) {
        self.name = name
        self.when = when
        self.steps = steps
    }
}
