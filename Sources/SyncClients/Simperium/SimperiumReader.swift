import Notation
internal import Simperium
public import Wire

/// Prints an object as the server has it, with what was edited here and is not sent yet.
public struct SimperiumReader: SimperiumDriver {
    private let bucket: String
    private let key: String
    private let isOffline: Bool
    private var patience: SimperiumPatience
    private var hasBegun = false

    /// A reader of one object; offline, of its last known state.
    public init(
        bucket: String, key: String, isOffline: Bool = false, patience: SimperiumPatience
    ) {
        self.bucket = bucket
        self.key = key
        self.isOffline = isOffline
        self.patience = patience
    }

    /// Runs a turn.
    public mutating func turn(
        _ notices: [SimperiumSession.Notice], _ session: SimperiumSession,
        at now: Instant
    ) -> [SimperiumAction] {
        if !hasBegun, !isOffline {
            hasBegun = true
            return [.event(.online), patience.begin(at: now)]
        }
        guard isOffline || session.isSynced else {
            if let outcome = patience.verdict(session, at: now, kept: nil) {
                return [.finish(outcome)]
            }
            return notices.compactMap { $0.line.map { .say($0) } }
        }
        guard let data = session.data(bucket, key) else {
            return [.finish(.failed("there is no object \(key) in \(bucket)"))]
        }
        return [.print(data.text()), .finish(.done)]
    }
}
