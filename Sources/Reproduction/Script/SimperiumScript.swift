package import Certification
internal import Notation
package import Simperium
package import Wire

/// The steps of a person that explain what a Simperium client sent on one bucket.
///
/// Only what the client did first counts: a change that is sent again, or that makes an object what
/// the person had made of it already, is the client's own work and is left to it. Times between steps
/// are kept where a second or more passed.
package struct SimperiumScript {
    /// The steps so far.
    package private(set) var steps: [Step] = []
    /// Changes that the steps do not explain, since the objects that they apply to are unknown.
    package private(set) var unexplained = 0

    private var ledger = Ledger()
    /// What the person made of each object: its data, or nil where it was removed.
    private var intended: [String: JSONValue?] = [:]
    private var sent: Set<String> = []
    private var unanswered: Set<String> = []
    /// Objects that others changed since the last step, in order.
    private var changedByOthers: [String] = []
    /// When something happened last that a step has to come after.
    private var lastAt: Instant?
    /// When the socket opened on which the client has not gone on yet after it was offline.
    private var reopenedAt: Instant?

    /// Edits within this time after a socket opened were made before it.
    private static let offlineNanoseconds: Int64 = 500_000_000
    /// The shortest time between two steps that is kept, and the longest.
    private static let pauseNanoseconds: ClosedRange<Int64> = 1_000_000_000...300_000_000_000
    /// The shortest time without a socket that a person has to bring about.
    private static let absenceNanoseconds: Int64 = 300_000_000

    /// The script of a client that has done nothing.
    package init() {}

    /// The client opened a socket again after it had closed one.
    ///
    /// - Parameters:
    ///   - at: When.
    ///   - closedAt: When it had last used the one before.
    package mutating func reopened(at: Instant, closedAt: Instant) {
        wait(for: closedAt)
        if at.nanoseconds - closedAt.nanoseconds < Self.absenceNanoseconds {
            steps.append(.cut)
        } else {
            steps.append(.offline)
            reopenedAt = at
        }
        lastAt = at
    }

    /// The client opened a socket again after the server, or a fault, had ended one.
    ///
    /// - Parameter at: When.
    package mutating func reconnected(at: Instant) {
        wait(for: at)
        lastAt = at
    }

    /// A command of the bucket.
    ///
    /// - Parameters:
    ///   - command: The command, in the order in which commands were sent.
    ///   - message: The message it was read from.
    ///   - at: When its last byte arrived.
    ///   - isLeftOut: Whether no step is to bring it about: it is the breach itself.
    package mutating func take(
        _ command: SimperiumCommand, in message: [UInt8], at: Instant, isLeftOut: Bool = false
    ) {
        if let reopenedAt, at.nanoseconds - reopenedAt.nanoseconds > Self.offlineNanoseconds {
            goOnline()
        }
        ledger.see(command, in: message)
        guard case .changes(let changes) = command.body else {
            if command.sender == .server { lastAt = max(lastAt ?? at, at) }
            return
        }
        for change in changes {
            guard let key = change.key else { continue }
            if command.sender == .client {
                propose(change, key, at, isLeftOut: isLeftOut)
            } else {
                answer(change, key)
            }
        }
        lastAt = at
    }

    /// The client has nothing more to do; the session goes on until `end`.
    package mutating func finish(at end: Instant) {
        goOnline()
        wait(for: end)
        if steps.last != .waitSynced { steps.append(.waitSynced) }
    }

    private mutating func propose(
        _ change: SimperiumChange<Range<Int>>, _ key: String, _ at: Instant, isLeftOut: Bool
    ) {
        guard let ccid = change.ccids.first else { return }
        let isFirst = sent.insert(ccid).inserted
        unanswered.insert(ccid)
        guard isFirst, !isLeftOut, let proposal = ledger.proposal(key) else { return }
        let data = proposal.json.flatMap(Ledger.Object.value)
        guard proposal.isRemoval || data != nil else {
            unexplained += 1
            return
        }
        if let known = intended[key] {
            switch (known, data) {
            case (nil, nil): return
            case (let known?, let data?) where known.isSame(as: data): return
            default: break
            }
        }
        unanswered.remove(ccid)
        if reopenedAt == nil { wait(for: at) }
        unanswered.insert(ccid)
        intended[key] = .some(data)
        steps.append(data.map { .set(key: key, data: $0.text()) } ?? .delete(key: key))
    }

    private mutating func answer(_ change: SimperiumChange<Range<Int>>, _ key: String) {
        let isOwn = change.ccids.contains { sent.contains($0) }
        unanswered.subtract(change.ccids)
        guard change.error == nil, !isOwn else { return }
        changedByOthers.removeAll { $0 == key }
        changedByOthers.append(key)
        // What the person had made of it is not what it is now.
        intended[key] = nil
    }

    private mutating func goOnline() {
        guard reopenedAt != nil else { return }
        reopenedAt = nil
        steps.append(.online)
    }

    /// Waits for what had happened before a step at `at`.
    private mutating func wait(for at: Instant) {
        goOnline()
        guard let last = lastAt else { return }
        if unanswered.isEmpty {
            if steps.last != .waitSynced { steps.append(.waitSynced) }
            for key in changedByOthers {
                guard let object = ledger.object(key) else {
                    steps.append(.waitFor(key: key, data: nil))
                    continue
                }
                if let data = object.value { steps.append(.waitFor(key: key, data: data.text())) }
            }
            changedByOthers = []
        }
        let pause = at.nanoseconds - last.nanoseconds
        guard pause >= Self.pauseNanoseconds.lowerBound else { return }
        steps.append(.pause(Self.seconds(min(pause, Self.pauseNanoseconds.upperBound))))
        lastAt = at
    }

    private static func seconds(_ nanoseconds: Int64) -> Double {
        (Double(nanoseconds) / 1e8).rounded(.up) / 10
    }
}
