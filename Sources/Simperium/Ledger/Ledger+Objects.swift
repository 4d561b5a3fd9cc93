public import Notation

extension Ledger {
    /// Takes an object that was said whole, or of which the version was said.
    ///
    /// - Parameters:
    ///   - key: Its key.
    ///   - version: Its version.
    ///   - json: The JSON text of its data; nil where they were not said.
    ///   - source: Where it was said.
    /// - Returns: ``Outcome/applied``, or ``Outcome/alreadyHad``.
    @discardableResult
    public mutating func take(
        _ key: ExactText, _ version: Int64, json: [UInt8]?, from source: Source = Source()
    ) -> Outcome {
        if let held = objects[key] {
            // An old version that somebody looks at is not what the object is now.
            guard version >= held.version else { return .alreadyHad }
            if version == held.version, json == nil || json == held.json {
                mention(key, from: source)
                return .alreadyHad
            }
        }
        hold(key, Object(version: version, json: json, source: source))
        return .applied
    }

    /// Takes a change.
    ///
    /// Unless it was applied the object stays as it was: whether it counts as unknown from then on,
    /// as unknown at its new version, or as left behind is for the follower to say.
    ///
    /// - Parameters:
    ///   - change: A change, as it was told to the peer or by it.
    ///   - message: The message it was read from.
    ///   - source: Where it was said.
    ///   - computed: Changes that were computed before, where several peers are told the same.
    /// - Returns: What became of it.
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
        // Who catches up is told what others know is past, removals included.
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

    /// Holds the version that a change led to, of which the data are not known.
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
