import Notation
import Simperium
import Wire

/// What a client receives of an object.
extension SimperiumChangeKey {
    /// Whether the client received a change, or a later one, on this channel before.
    func has(_ change: SimperiumChange<Range<Int>>) -> Bool {
        guard change.operation == .modify, let ev = change.ev else { return false }
        return presence == .present && isSettled && ev <= shown
    }

    /// Another channel: what was sent on the last one may not have arrived.
    mutating func begin(_ session: Int32) {
        guard self.session != session else { return }
        self.session = session
        shownBefore = max(shownBefore, shown)
        shown = 0
        isSettled = false
        presence = .unknown
        late = nil
        behind = []
        isShownByAnswer = false
        isDoubted = false
    }

    private mutating func note(_ version: Int64, _ scene: SimperiumChangeCheck.Scene, _ seq: Int) {
        shown = version
        shownSeq = seq
        shownAt = scene.at
        shownBy = scene.evidence
        isShownByAnswer = false
        isProof = false
    }

    /// The whole object is received.
    ///
    /// What Tapedeck altered and is newer stays: the client applies it on top.
    mutating func load(_ version: Int64, _ scene: SimperiumChangeCheck.Scene) {
        isAltered = scene.command.origin != .peer || (isAltered && version < shown)
    }

    mutating func show(entity version: Int64, _ scene: SimperiumChangeCheck.Scene, _ seq: Int) {
        if presence == .present, version < shown {
            late = (version, scene.evidence)
            return
        }
        guard presence != .removed || version > shown else { return }
        note(version, scene, seq)
        presence = .present
        isSettled = !isDoubted
    }

    mutating func show(index version: Int64, _ scene: SimperiumChangeCheck.Scene, _ seq: Int) {
        // A page may be older than a change that overtook it.
        if version < shown {
            isSettled = false
            return
        }
        note(version, scene, seq)
        presence = .present
        isSettled = true
        isDoubted = false
    }

    mutating func show(
        _ change: SimperiumChange<Range<Int>>, _ scene: SimperiumChangeCheck.Scene, _ seq: Int,
        isOwn: Bool
    ) {
        if change.operation == .remove {
            // One that is older than what the client has: the object may have been made anew.
            if presence == .present, let ev = change.ev, ev < shown {
                isSettled = false
                presence = .unknown
                isDoubted = true
                return
            }
            note(max(change.ev ?? 0, shown), scene, seq)
            presence = .removed
            isSettled = true
            isShownByAnswer = isOwn
            remote = nil
            made = nil
            late = nil
            return
        }
        guard change.operation == .modify, let ev = change.ev else {
            isSettled = false
            return
        }
        guard ev > shown || presence == .unknown else { return }
        // Applies where the client has what it applies to; otherwise it has to request the object.
        let applies: Bool =
            change.sv.map { $0 == shown && presence == .present && isSettled }
            ?? (presence != .present)
        note(ev, scene, seq)
        isProof = applies && change.sv != nil && scene.channel.isSynced
        presence = .present
        isSettled = applies
        isShownByAnswer = isOwn
    }

    /// The server accepted a change of this client.
    mutating func take(
        _ operation: ChangeOperation?, _ ccid: ExactText?
    ) {
        guard made != ccid || ccid == nil else { return }
        refusal = nil
        wholeRefusals = []
        tooLarge = 0
        guard operation == .modify else { return }
        made = ccid
    }
}
