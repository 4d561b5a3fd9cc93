internal import Replaying
internal import Trace
package import Wire

/// Why there is nothing to minimize.
package struct MinimizationError: Error, Sendable {
    /// What is wrong, in one line.
    package let reason: String
    /// Whether the check could not be run at all, so that its command is to be corrected.
    package var isCommand = false
}

/// Finds the smallest part of a trace with which a check still fails as with the whole.
package struct Minimization {
    /// The result.
    package struct Outcome {
        /// Units that stay and units that there were, by kind.
        package var counts: [(kind: String, left: Int, of: Int)]
        /// The number of runs of the check.
        package var checks: Int
        /// Whether it ended before nothing else could be left out.
        package var isStopped: Bool
    }

    private let source: String
    /// A private folder for the candidate traces.
    private let folder: String
    private let check: (String) throws -> TraceCheck.Outcome
    /// What is never left out.
    private let kept: Kept
    private let grain: Grain
    private let maximumChecks: Int
    /// Receives the progress; returns whether to go on.
    private let progress: (String) -> Bool

    private let units: TraceUnits
    private var cut = TraceCut()
    private var checks = 0
    private var isStopped = false
    private var expected = TraceCheck.Outcome.status(0)

    /// What is never left out.
    package struct Kept: Hashable, Sendable {
        /// Connections.
        package var connections: Set<ConnectionID>
        /// Exchanges; their connections are to be named as well.
        package var exchanges: Set<ExchangeID>

        /// These.
        package init(
            connections: Set<ConnectionID> = [], exchanges: Set<ExchangeID> = []
        ) {
            self.connections = connections
            self.exchanges = exchanges
        }
    }

    /// What is left out of connections that stay.
    package enum Grain: Hashable, Sendable {
        /// Channels and single messages: the shortest recording.
        case messages
        /// Whole objects of a Simperium bucket: a recording that can be played to a client, whose
        /// conversation about each object that is left is whole.
        case objects
    }

    /// A search in the trace at `source`.
    ///
    /// - Parameters:
    ///   - source: The trace; it is only read.
    ///   - folder: A private folder for the candidate traces.
    ///   - kept: What is never left out.
    ///   - grain: What is left out of connections that stay.
    ///   - maximumChecks: The maximum number of runs.
    ///   - check: The check of the trace at a path, whose outcome has to stay.
    ///   - progress: Receives the progress; returns whether to go on.
    /// - Throws: ``FileError`` where it is not a trace.
    package init(
        of source: String, in folder: String, keeping kept: Kept = Kept(),
        grain: Grain = .messages, maximumChecks: Int,
        check: @escaping (String) throws -> TraceCheck.Outcome,
        progress: @escaping (String) -> Bool
    ) throws {
        self.source = source
        self.folder = folder
        self.kept = kept
        self.grain = grain
        self.check = check
        self.maximumChecks = maximumChecks
        self.progress = progress
        units = try TraceUnits(of: source)
    }

    /// Searches, and writes the trace that is left to `path`.
    ///
    /// - Throws: ``MinimizationError`` where there is nothing to find, ``FileError``, and what
    ///   starting the command throws.
    package mutating func run(to path: String) throws -> Outcome {
        expected = try check(source)
        if let problem = expected.commandProblem {
            throw MinimizationError(
                reason: "the check cannot be run: \(problem); try it in a shell", isCommand: true)
        }
        guard expected != .status(0) else {
            throw MinimizationError(
                reason:
                    "the check does not fail with \(source), so there is nothing to find: it "
                    + "has to exit with a status other than 0 for the whole trace")
        }
        guard try stillFails(cut) else {
            throw MinimizationError(
                reason:
                    "the check fails with \(source) (\(expected)), but not with a copy of it: it depends "
                    + "on something else than what was recorded")
        }
        var before = -1
        while size != before, !isStopped {
            before = size
            for pass in grain.passes where !isStopped { try shrink(pass) }
        }
        try cut.write(from: source, to: path)
        return outcome
    }

    // MARK: Passes

    /// The groups that are left out together, the largest first.
    fileprivate enum Pass: String {
        case connections, channels, exchanges, objects, messages
    }

    private var size: Int {
        connections.count + exchanges.count + messages.count
    }

    private var connections: [ConnectionID] {
        units.connections.filter { !cut.connections.contains($0) }
    }

    private var exchanges: [TraceUnits.Exchange] {
        units.exchanges.filter {
            !cut.connections.contains($0.connection) && !cut.exchanges.contains($0.id)
        }
    }

    private var messages: [TraceUnits.Message] {
        units.messages.filter {
            !cut.connections.contains($0.connection) && !cut.messages.contains($0.id)
        }
    }

    private struct Channel: Hashable {
        var connection: ConnectionID
        var number: Int?
    }

    private struct Object: Hashable {
        var bucket: String
        var key: String
    }

    private mutating func shrink(_ pass: Pass) throws {
        switch pass {
        case .connections:
            let some = connections.filter { !kept.connections.contains($0) }
            try shrink(some.map { [$0] }, pass) { $0.connections.formUnion($1) }
        case .channels:
            var order: [Channel] = []
            var members: [Channel: [MessageID]] = [:]
            for message in messages {
                let channel = Channel(connection: message.connection, number: message.channel)
                if members[channel] == nil { order.append(channel) }
                members[channel, default: []].append(message.id)
            }
            try shrink(order.compactMap { members[$0] }, pass) { $0.messages.formUnion($1) }
        case .exchanges:
            let some = exchanges.map(\.id).filter { !kept.exchanges.contains($0) }
            try shrink(some.map { [$0] }, pass) { $0.exchanges.formUnion($1) }
        case .objects:
            var order: [Object] = []
            var members: [Object: [MessageID]] = [:]
            for message in messages {
                guard let bucket = message.bucket, let key = message.key else { continue }
                let object = Object(bucket: bucket, key: key)
                if members[object] == nil { order.append(object) }
                members[object, default: []].append(message.id)
            }
            try shrink(order.compactMap { members[$0] }, pass) { $0.messages.formUnion($1) }
        case .messages:
            try shrink(messages.map { [$0.id] }, pass) { $0.messages.formUnion($1) }
        }
    }

    /// Leaves out as many of `groups` as possible.
    private mutating func shrink<Unit>(
        _ groups: [[Unit]], _ pass: Pass, _ leaveOut: (inout TraceCut, [Unit]) -> Void
    ) throws {
        var search = DeltaDebugging(count: groups.count)
        func without(_ kept: [Int]) -> TraceCut {
            var candidate = cut
            let kept = Set(kept)
            leaveOut(
                &candidate, groups.indices.filter { !kept.contains($0) }.flatMap { groups[$0] })
            return candidate
        }
        while !isStopped, let candidate = search.candidate() {
            guard
                progress(
                    "check \(checks + 1): \(search.kept.count) of \(groups.count) \(pass.rawValue)"
                        + " left, trying \(candidate.count)"), checks < maximumChecks
            else {
                isStopped = true
                break
            }
            search.report(fails: try stillFails(without(candidate)))
        }
        cut = without(search.kept)
    }

    private mutating func stillFails(_ candidate: TraceCut) throws -> Bool {
        checks += 1
        let path = folder + "/\(checks).tape"
        defer { TraceFiles.remove(path) }
        try candidate.write(from: source, to: path)
        return try check(path) == expected
    }

    private var outcome: Outcome {
        Outcome(
            counts: [
                ("connections", connections.count, units.connections.count),
                ("exchanges", exchanges.count, units.exchanges.count),
                ("messages", messages.count, units.messages.count),
            ], checks: checks, isStopped: isStopped)
    }
}

extension Minimization.Grain {
    fileprivate var passes: [Minimization.Pass] {
        switch self {
        case .messages: [.connections, .channels, .exchanges, .messages]
        case .objects: [.connections, .exchanges, .objects]
        }
    }
}
