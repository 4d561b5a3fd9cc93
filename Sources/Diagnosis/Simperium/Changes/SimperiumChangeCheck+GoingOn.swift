import Notation
import Simperium
import Wire

/// Clients that go on with other objects after a refusal, without what that needs.
extension SimperiumChangeCheck {
    /// Nanoseconds after which a client that sends three other changes will not send an object whole.
    private static let leastWhole: Int64 = 5_000_000_000
    private static let mostRefused = 64

    /// Keeps a refusal after which the client has something to do at once.
    mutating func note(
        _ refusal: SimperiumChangeRefusal, _ sent: Sent, _ place: Place, wasMade: Bool,
        _ scene: Scene
    ) {
        guard sent.change.operation == .modify else { return }
        switch refusal.code {
        case 409 where !wasMade: break
        case 404 where sent.change.data == nil, 417 where sent.change.data == nil,
            440 where sent.change.data == nil:
            break
        default: return
        }
        let (connection, number) = (scene.connection, scene.channel.number)
        guard connections[connection]?.channels[number]?.refused.count ?? 0 < Self.mostRefused
        else { return }
        connections[connection]?.channels[number]?.refused.append((place, refusal))
    }

    /// A new change, of the object with this key.
    mutating func judgeGoingOn(
        _ key: ExactText, _ scene: Scene, _ session: borrowing SessionView, _ report: inout Report
    ) {
        let (connection, number) = (scene.connection, scene.channel.number)
        guard let channel = connections[connection]?.channels[number], !channel.refused.isEmpty,
            session.isWhole(connection)
        else { return }
        let fault = session[connection]?.lastFaultAt
        var left: [(place: Place, refusal: SimperiumChangeRefusal)] = []
        for (place, refusal) in channel.refused {
            var refusal = refusal
            guard let known = keys.peek(place), channel.asks <= refusal.channelAsks,
                known.asks <= refusal.keyAsks, fault.map({ $0 <= refusal.answer.at }) ?? true
            else { continue }
            let isOver =
                refusal.code == 409
                ? judgeMissedChanges(place, refusal, known, key, scene, &report)
                : judgeLeaving(place, &refusal, known, key, channel, scene, &report)
            if !isOver { left.append((place, refusal)) }
        }
        connections[connection]?.channels[number]?.refused = left
    }

    /// After 409; whether nothing more is to be seen of it.
    private mutating func judgeMissedChanges(
        _ place: Place, _ refusal: SimperiumChangeRefusal, _ known: Key, _ key: ExactText,
        _ scene: Scene, _ report: inout Report
    ) -> Bool {
        let answer = refusal.answer
        guard known.news <= refusal.news else { return true }
        guard had(scene.connection, answer.seq, answer.at, now: scene.at) else { return false }
        connections[scene.connection]?.channels[scene.channel.number]?.reported
            .insert(refusal.ccid)
        let span = CommCareTime.text(scene.at.nanoseconds - answer.at.nanoseconds)
        find(
            SimperiumChangeRules.noCatchUp, scene, place.key,
            detail: "The change \(refusal.ccid) of \(place.key) was answered with 409, and \(span) "
                + "later the client changes \(key) without having requested the server's state with "
                + "cv, i or e.",
            after: [(answer.evidence, Self.words(409))], "the client goes on", nil, &report)
        return true
    }

    /// After 404, 417 or 440; whether nothing more is to be seen of it.
    private mutating func judgeLeaving(
        _ place: Place, _ refusal: inout SimperiumChangeRefusal, _ known: Key, _ key: ExactText,
        _ channel: Channel, _ scene: Scene, _ report: inout Report
    ) -> Bool {
        guard let last = known.refusal, last.ccid == refusal.ccid,
            last.answer.at == refusal.answer.at, place.key != key,
            known.presence != .removed || refusal.code != 404
        else { return true }
        let client = Int(scene.client)
        // On a slow link what was sent before the refusal is there comes long after it.
        guard had(scene.connection, refusal.answer.seq, refusal.answer.at, now: scene.at) else {
            let isQuick = connections[scene.connection].map { $0.isQuick && !$0.isSlow } ?? false
            if !isQuick { refusal.count = clients[client].count }
            return false
        }
        let elsewhere = clients[client].count - refusal.count
        guard elsewhere >= SimperiumChangeRules.leastElsewhere,
            scene.at.nanoseconds - refusal.answer.at.nanoseconds >= Self.leastWhole
        else { return false }
        guard known.news <= refusal.news || isLeftOut(refusal, known, place) else { return true }
        clients[client].fails[refusal.code, default: []].insert(place.key)
        // It is looked at twice.
        keys.change(place) { $0.refusal = nil }
        let span = CommCareTime.text(scene.at.nanoseconds - refusal.answer.at.nanoseconds)
        find(
            SimperiumChangeRules.notSentWhole, scene, place.key,
            detail: "A change of \(place.key) was answered with \(refusal.code), "
                + "\(SimperiumErrorCode.detail(refusal.code)), and the object was not sent with its "
                + "whole data in \(span), while \(elsewhere) changes of other objects were sent.",
            severity: .warning, after: [(refusal.answer.evidence, Self.words(refusal.code))],
            "the client goes on", nil, &report)
        return true
    }
}
