import Notation
internal import Wire

/// The messages of a live server aligned with the recorded ones, both in their order.
///
/// A message that arrives as recorded is settled at once. From the first message on that does not,
/// those of both sides are kept until the pairs are certain: a stretch is equal again, or nothing
/// follows. Only then it is decided whether a message was changed, is missing, was added or arrived
/// out of order. The server's progress is known before: a message that was not recorded counts as
/// the counterpart of the next recorded one until an equal one arrives.
struct MessageWindow {
    /// A message that came.
    private struct Live {
        var message: SocketMessage
        var keys: Keys
    }

    /// Properties of messages that are known without comparing them.
    private struct Keys {
        /// Equal for two equivalent messages.
        var exact: Int
        /// The same for two of one kind: the members of a JSON object.
        var shape: Int
    }

    /// Recorded messages that are inspected to find the counterpart of one that came.
    private static let lookahead = 64
    /// So many in a row that are the same end what was uncertain.
    private static let certain = 16
    /// The maximum number of received messages, and of their bytes, that are kept.
    private static let maxKept = (count: 512, bytes: 16 << 20)
    /// Bytes of the longest message that is searched for what a server issues.
    private static let maxLearned = 4 << 20
    private static let nothing = LeftOut(keepsVolatile: true)

    /// The recorded messages of the server.
    let recorded: [RecordedConversation.Message]
    private let leftOut: LeftOut
    private let fetch: WebSocketPlay.Fetch
    /// Recorded messages before this place are done with.
    private var floor = 0
    /// What came since, where it is not certain what belongs to it.
    private var live: [Live] = []
    private var liveBytes = 0
    /// Messages that came before those.
    private var liveBefore = 0
    /// Place after the last recorded message whose counterpart came.
    private var anchor = 0
    /// Places before it whose counterpart came.
    private var taken: Set<Int> = []
    /// Messages that came since and have none.
    private var strays = 0
    /// How many in a row had theirs at once.
    private var run = 0
    /// Recorded messages before this place are not waited for.
    private var waived = 0
    /// Keys of recorded messages from ``floor`` on, as names were at a revision.
    private var keys: [Keys] = []
    private var revision = -1

    init(
        _ recorded: [RecordedConversation.Message], leftOut: LeftOut,
        fetch: @escaping WebSocketPlay.Fetch
    ) {
        self.recorded = recorded
        self.leftOut = leftOut
        self.fetch = fetch
    }

    /// Recorded messages that came, or that something else came for, or that are not waited for.
    var reached: Int { max(waived, min(recorded.count, anchor + strays)) }

    /// Whether the next recorded message may still arrive, as it is not certain that what arrived
    /// instead is its counterpart.
    var isUncertain: Bool { strays > 0 && anchor < recorded.count && waived < recorded.count }

    /// Stops waiting for recorded messages before a place.
    mutating func waive(before place: Int) { waived = max(waived, place) }

    /// Adds a message of the live server.
    ///
    /// - Parameters:
    ///   - message: What was received.
    ///   - end: The place after what the recorded server had sent when it sent what is waited for:
    ///     only up to there messages count as skipped.
    ///   - identity: The identifiers of this run; values that the message issues are added.
    ///   - played: Takes what became certain.
    mutating func take(
        _ message: SocketMessage, before end: Int, _ identity: inout ReplayIdentity,
        _ played: inout PlayedConversation
    ) {
        if live.isEmpty, floor < recorded.count, isSame(floor, message, identity) {
            learn(floor, message, &identity)
            played.matched += 1
            floor += 1
            anchor = floor
            strays = 0
            liveBefore += 1
            keys.removeAll()
            return
        }
        let arrived = Live(message: message, keys: keys(of: message))
        live.append(arrived)
        liveBytes += message.payload.count
        let candidates = anchor..<max(anchor, min(end, anchor + Self.lookahead))
        if let place = counterpart(of: arrived, in: candidates, identity) {
            run = place == anchor ? run + 1 : 0
            learn(place, message, &identity)
            taken.insert(place)
            anchor = place + 1
            strays = 0
        } else if let place = counterpart(of: arrived, in: floor..<anchor, identity) {
            // It was skipped: it is late, and nothing is ahead of its time.
            run = 0
            taken.insert(place)
        } else {
            run = 0
            // One that was changed may give out a token nevertheless.
            if anchor + strays < recorded.count { learn(anchor + strays, message, &identity) }
            strays += 1
        }
        let isFull = live.count >= Self.maxKept.count || liveBytes >= Self.maxKept.bytes
        if run >= Self.certain || isFull {
            settle(before: min(recorded.count, anchor + strays), identity, &played)
        }
    }

    /// Settles everything that was recorded before a place, and all that arrived; nil is the place
    /// where the live server is.
    mutating func settle(
        before end: Int? = nil, _ identity: ReplayIdentity, _ played: inout PlayedConversation
    ) {
        let end = max(floor, end ?? reached)
        refresh(identity)
        readKeys(upTo: end, identity)
        let recordedKeys = keys.prefix(end - floor)
        let steps = Alignment(
            [
                recordedKeys.map(\.exact), recordedKeys.map(\.shape),
                recordedKeys.map { _ in 0 },
            ], [live.map(\.keys.exact), live.map(\.keys.shape), live.map { _ in 0 }]
        ).steps
        for step in steps { tell(step, identity, &played) }
        floor = end
        anchor = max(anchor, end)
        strays = 0
        run = 0
        taken.removeAll()
        liveBefore += live.count
        live.removeAll()
        liveBytes = 0
        keys.removeAll()
    }

    private func tell(
        _ step: Alignment.Step, _ identity: ReplayIdentity, _ played: inout PlayedConversation
    ) {
        guard let a = step.a else {
            guard let came = step.b.map({ live[$0].message }) else { return }
            var found = Differences()
            found.add(Difference(.presence, "message", recorded: nil, live: came.line))
            return played.add(
                .init(message: nil, line: "a message of the server", differences: found))
        }
        let expected = expected(floor + a, identity)
        var found = Differences()
        if let b = step.b {
            if step.fit == .moved {
                found.add(
                    Difference(
                        .order, "the messages of the server",
                        recorded: "as number \(floor + a + 1)",
                        live: "as number \(liveBefore + b + 1)"))
            }
            for one in expected.differences(to: live[b].message, without: leftOut).items {
                found.add(one)
            }
        } else {
            found.add(Difference(.presence, "message", recorded: expected.line, live: nil))
        }
        guard !found.isEmpty else {
            played.matched += 1
            return
        }
        played.add(
            .init(message: recorded[floor + a].id, line: expected.line, differences: found))
    }

    // MARK: Comparing

    /// A recorded message as it would read in this run.
    private func expected(_ place: Int, _ identity: ReplayIdentity) -> SocketMessage {
        SocketMessage(recorded[place], fetch(recorded[place].id), in: identity)
    }

    private func isSame(
        _ place: Int, _ message: SocketMessage, _ identity: ReplayIdentity
    ) -> Bool {
        expected(place, identity).differences(to: message, without: leftOut, limit: 1).isEmpty
    }

    /// The place of the first equivalent recorded message that has no counterpart yet.
    private mutating func counterpart(
        of arrived: Live, in places: Range<Int>, _ identity: ReplayIdentity
    ) -> Int? {
        refresh(identity)
        for place in places where !taken.contains(place) {
            readKeys(upTo: place + 1, identity)
            if keys[place - floor].exact == arrived.keys.exact,
                isSame(place, arrived.message, identity)
            {
                return place
            }
        }
        return nil
    }

    /// Drops keys that were made with other names.
    private mutating func refresh(_ identity: ReplayIdentity) {
        guard revision != identity.revision else { return }
        revision = identity.revision
        keys.removeAll()
    }

    private mutating func readKeys(upTo end: Int, _ identity: ReplayIdentity) {
        while floor + keys.count < end {
            keys.append(keys(of: expected(floor + keys.count, identity)))
        }
    }

    private func keys(of message: SocketMessage) -> Keys {
        let meaning = Meaning(message.payload, without: leftOut)
        var exact = Hasher()
        exact.combine(message.isText)
        meaning.hash(into: &exact)
        var shape = Hasher()
        shape.combine(message.isText)
        if case .json(.object(let object)) = meaning {
            shape.combine(Set(object.members.map(\.key.string)))
        }
        return Keys(exact: exact.finalize(), shape: shape.finalize())
    }

    /// Binds values that the recorded server issued to those of the live one.
    private func learn(
        _ place: Int, _ message: SocketMessage, _ identity: inout ReplayIdentity
    ) {
        guard !identity.isVerbatim, message.isText, recorded[place].isText,
            message.payload.count <= Self.maxLearned, let bytes = fetch(recorded[place].id),
            bytes != message.payload, bytes.count <= Self.maxLearned,
            case .json(let value) = Meaning(bytes, without: Self.nothing),
            case .json(let other) = Meaning(message.payload, without: Self.nothing)
        else { return }
        identity.learn(value, other)
    }
}
