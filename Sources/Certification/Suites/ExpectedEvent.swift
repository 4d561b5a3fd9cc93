/// An event that has to be seen in the trace of a scenario.
public struct ExpectedEvent: Hashable, Sendable {
    /// What is checked.
    public indirect enum Kind: Hashable, Sendable {
        /// Exchanges and commands that pass this filter.
        case lines(filter: String)
        /// Devices, each counted once, of the exchanges that pass this filter.
        case devices(filter: String)
        /// Changes of the client, each counted once by its `ccid`, of the object of this key.
        case changes(key: String)
        /// The effects of the fault of this name.
        case fault(name: String)
        /// How long the session continued, in seconds, after the first line that passes this
        /// filter.
        case lasting(filter: String, seconds: Double)
        /// Any of these.
        case either([ExpectedEvent])
    }

    /// What has to be seen, as text that continues "there was".
    public let detail: String
    /// What is checked.
    public let kind: Kind
    /// The required number; 1 of ``Kind/lasting(filter:seconds:)``.
    public let count: Int
    /// A filter: only rows after the first line that passes it count; nil for all.
    public let after: String?
    /// The name of a fault: only rows after it count; nil for all.
    public let afterFault: String?

    /// At least `count` exchanges or commands that pass a filter.
    public static func lines(
        _ filter: String, _ detail: String, count: Int = 1, after: String? = nil,
        afterFault: String? = nil
    ) -> ExpectedEvent {
        ExpectedEvent(
            detail: detail, kind: .lines(filter: filter), count: count, after: after,
            afterFault: afterFault)
    }

    /// At least `count` devices, by their identifiers, in exchanges that pass a filter.
    public static func devices(_ filter: String, _ detail: String, count: Int) -> ExpectedEvent {
        ExpectedEvent(
            detail: detail, kind: .devices(filter: filter), count: count, after: nil,
            afterFault: nil)
    }

    /// At least `count` different changes of an object by the client.
    public static func changes(of key: String, _ detail: String, count: Int) -> ExpectedEvent {
        ExpectedEvent(
            detail: detail, kind: .changes(key: key), count: count, after: nil, afterFault: nil)
    }

    /// A fault that was injected at least `count` times.
    public static func fault(_ name: String, _ detail: String, count: Int = 1) -> ExpectedEvent {
        ExpectedEvent(
            detail: detail, kind: .fault(name: name), count: count, after: nil, afterFault: nil)
    }

    /// Any of several expected events: what a conforming client does, or a time after which a
    /// client without it is exercised too.
    public static func either(_ expectations: ExpectedEvent...) -> ExpectedEvent {
        ExpectedEvent(
            detail: expectations.map(\.detail).joined(separator: ", nor "),
            kind: .either(expectations), count: 1,
            after: nil, afterFault: nil)
    }

    /// A session that continues for this many seconds after a line that passes a filter.
    public static func lasting(
        _ seconds: Double, after filter: String, _ detail: String
    ) -> ExpectedEvent {
        ExpectedEvent(
            detail: detail, kind: .lasting(filter: filter, seconds: seconds), count: 1, after: nil,
            afterFault: nil)
    }

    /// The faults that it names.
    public var faults: [String] {
        let own: [String] =
            switch kind {
            case .fault(let name): [name]
            case .either(let expectations): expectations.flatMap(\.faults)
            case .lines, .devices, .changes, .lasting: []
            }
        return own + (afterFault.map { [$0] } ?? [])
    }

    /// The filters that occur in it.
    public var filters: [String] {
        let own: [String] =
            switch kind {
            case .lines(let filter), .devices(let filter), .lasting(let filter, _): [filter]
            case .fault, .changes: []
            case .either(let expectations): expectations.flatMap(\.filters)
            }
        return own + (after.map { [$0] } ?? [])
    }
}
