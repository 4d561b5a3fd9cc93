public import Wire

/// A session of one of the recorders of a fleet.
public struct FleetSession: Hashable, Sendable {
    /// A label that its recorder was given.
    public struct Label: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
    }

    /// The recorder: a UUID.
    public var recorder: String
    /// Its number at the recorder.
    public var number: SessionID
    /// Wall clock at its start, nanoseconds since 1970.
    public var startedUnixNanoseconds: Int64
    /// The labels, in the order in which they were given.
    public var labels: [Label] = []

    /// `recorder 3f2a9c1e session 3, app=3.2`.
    public var title: String {
        let names = labels.map { "\($0.name)=\($0.value)" }
        return (["recorder \(recorder.prefix(8)) session \(number)"] + names)
            .joined(separator: ", ")
    }

    /// The session as the server has it in a tuple of recorder and number.
    var literal: String { "(\(TabSeparated.literal(recorder)), \(number.rawValue))" }

    /// Whether it comes before `other`: by start, then recorder and number.
    func precedes(_ other: FleetSession) -> Bool {
        if startedUnixNanoseconds != other.startedUnixNanoseconds {
            return startedUnixNanoseconds < other.startedUnixNanoseconds
        }
        return recorder == other.recorder ? number < other.number : recorder < other.recorder
    }
}
