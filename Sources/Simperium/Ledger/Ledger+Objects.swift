public import Notation

extension Ledger {
    /// Processes an object that was sent whole, or whose version was sent.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - version: Its version.
    ///   - json: The JSON text of its data; nil where they were not sent.
    ///   - source: Its place among the commands.
    /// - Returns: ``Outcome/applied``, or ``Outcome/alreadyHad``.
    @discardableResult
    public mutating func take(
        _ key: ExactText, _ version: Int64, json: [UInt8]?, from source: Source = Source()
    ) -> Outcome {
        if let held = objects[key] {
            // An old version that a client requests is not the present object.
            guard version >= held.version else { return .alreadyHad }
            if version == held.version, json == nil || json == held.json {
                mention(key, from: source)
                return .alreadyHad
            }
        }
        hold(key, Object(version: version, json: json, source: source))
        return .applied
    }

    /// Processes a change.
    ///
    /// Unless it was applied the object is unchanged: the caller decides from the outcome whether it
    /// is unknown from then on, unknown at the new version, or outdated.
    ///
    /// - Parameters:
    ///   - change: A change that the peer received or sent.
    ///   - message: The message it was read from.
    ///   - source: Its place among the commands.
    ///   - computed: Changes that were computed before, for peers that receive the same.
    /// - Returns: Its outcome.
    public mutating func take(
        _ change: SimperiumChange<Range<Int>>, in message: [UInt8], from source: Source = Source(),
        _ computed: inout ComputedChanges
    ) -> Outcome {
        let effect = change.effect
        switch effect {
        case .nothing: return .nothing
        case .empties:
            empty()
            return .emptied
        case .removes, .replaces, .edits: break
        }
        guard let key = change.key.map(ExactText.init) else { return .nothing }
        let held = objects[key]
        // A peer that catches up receives changes that are older than its objects, removals too.
        if let held, let ev = change.ev, ev <= held.version { return .alreadyHad }
        var base = Self.emptyObject
        switch effect {
        case .removes:
            forget(key)
            return .applied
        case .edits(_, let sv?) where change.ev != nil:
            guard let held, held.version == sv else { return .baseUnknown }
            guard let json = held.json, affords(json.count) else { return .dataUnknown }
            base = json
        default: break
        }
        guard let ev = change.ev else { return .nothing }
        guard let json = Self.result(effect, change.cv, on: base, in: message, &computed) else {
            return .inapplicable
        }
        hold(key, Object(version: ev, json: json, source: source))
        return .applied
    }

    /// Holds the version after a change whose data are unknown.
    public mutating func holdVersion(
        of change: SimperiumChange<Range<Int>>, from source: Source = Source()
    ) {
        guard let key = change.key, let ev = change.ev else { return }
        hold(ExactText(key), Object(version: ev, json: nil, source: source))
    }

    /// The JSON text of an object after a change; nil where it does not fit.
    static func result(
        _ effect: ChangeEffect<Range<Int>>, _ cv: String?, on base: [UInt8],
        in message: [UInt8], _ computed: inout ComputedChanges
    ) -> [UInt8]? {
        if case .replaces(let whole) = effect {
            return whole.upperBound <= message.count ? Array(message[whole]) : nil
        }
        guard case .edits(let operations?, _) = effect, operations.upperBound <= message.count
        else { return nil }
        return computed.result(cv, message[operations], on: base) {
            effect.object(in: message) { _ in Object.value(base) }?.bytes()
        }
    }

    static let emptyObject = Array("{}".utf8)
}
