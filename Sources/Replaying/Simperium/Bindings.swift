public import Wire

/// Identifiers of the live clients, mapped to the recorded ones.
///
/// Found while commands are matched; each identifier of the recording has one counterpart, and
/// no two have the same. Clients go by their name on each socket, since some choose a new one for
/// every connection.
public struct Bindings: Sendable {
    /// Objects of one bucket.
    struct Space: Sendable {
        /// Keys by the recorded one.
        var live: [String: String] = [:]
        /// Recorded keys by the live one.
        var recorded: [String: String] = [:]
    }

    /// Something that is bound when a command fits.
    struct Proposal {
        var role: ClientCommand.Role
        var recorded: String
        var live: String

        /// Whether it is a key that differs and is rewritten wherever it occurs.
        var isMentioned: Bool {
            guard case .key = role else { return false }
            return recorded != live && recorded.utf8.count >= Bindings.shortestMention
        }
    }

    /// Live tokens by the recorded ones; the last, where there were several.
    public private(set) var tokens: [String: String] = [:]
    /// Live clients by the recorded ones; the last, where there were several.
    public private(set) var clients: [String: String] = [:]
    /// Live changes (`ccid`) by the recorded ones.
    public private(set) var changes: [String: String] = [:]
    private var recordedClients: [String: String] = [:]
    private var recordedChanges: [String: String] = [:]
    private var spaces: [String: Space] = [:]
    private var clientsOfSocket: [ConnectionID: [String: String]] = [:]
    /// Keys that differ, long enough to be recognised anywhere in a text.
    private(set) var mentions: [String: String] = [:]

    /// The length in bytes of the shortest key that is rewritten within the data of objects.
    public static let shortestMention = 8

    init() {}

    /// The live key of an object; nil where none was bound.
    public func key(_ recorded: String, in bucket: String) -> String? {
        spaces[bucket]?.live[recorded]
    }

    /// What a recorded client is called on a recorded socket, or else anywhere.
    public func client(_ recorded: String, on socket: ConnectionID) -> String? {
        clientsOfSocket[socket]?[recorded] ?? clients[recorded]
    }

    /// Notes keys that a server sends, which the client therefore does not choose.
    mutating func see(_ key: String, in bucket: String) {
        guard spaces[bucket]?.live[key] == nil, spaces[bucket]?.recorded[key] == nil else { return }
        spaces[bucket, default: Space()].live[key] = key
        spaces[bucket, default: Space()].recorded[key] = key
    }

    /// Whether `live` may be bound to `recorded`; the required value where it may not.
    ///
    /// With `isStrict` clients keep their name from one socket to the next; `pending` is what the
    /// same command binds.
    func check(
        _ role: ClientCommand.Role, recorded: String, live: String, bucket: String,
        socket: ConnectionID, isStrict: Bool, pending: [Proposal]
    ) -> Verdict {
        let bound: String?
        let taken: String?
        switch role {
        case .token: return .fits
        case .client:
            let own = clientsOfSocket[socket]?[recorded]
            bound = own ?? (isStrict ? clients[recorded] : nil)
            taken =
                clientsOfSocket[socket]?.first { $0.value == live }?.key
                ?? (isStrict ? recordedClients[live] : nil)
        case .change:
            bound = changes[recorded]
            taken = recordedChanges[live]
        case .key:
            bound = spaces[bucket]?.live[recorded]
            taken = spaces[bucket]?.recorded[live]
        }
        let fresh = pending.first { $0.role.isSameKind(as: role) && $0.recorded == recorded }
        if let expected = bound ?? fresh?.live {
            return expected == live ? .fits : .expected(expected)
        }
        let rival = pending.first { $0.role.isSameKind(as: role) && $0.live == live }
        if let other = taken ?? rival?.recorded { return .taken(by: other) }
        if role == .key(isNew: false), recorded != live { return .expected(recorded) }
        return .fits
    }

    /// Whether an identifier may be bound to another.
    enum Verdict: Equatable {
        case fits
        /// It has to be this one.
        case expected(String)
        /// It is bound to this one.
        case taken(by: String)
    }

    mutating func bind(_ proposals: [Proposal], bucket: String, socket: ConnectionID) {
        for one in proposals {
            switch one.role {
            case .token: tokens[one.recorded] = one.live
            case .client:
                clients[one.recorded] = one.live
                recordedClients[one.live] = one.recorded
                clientsOfSocket[socket, default: [:]][one.recorded] = one.live
            case .change:
                changes[one.recorded] = one.live
                recordedChanges[one.live] = one.recorded
            case .key:
                guard spaces[bucket]?.live[one.recorded] == nil else { continue }
                spaces[bucket, default: Space()].live[one.recorded] = one.live
                spaces[bucket, default: Space()].recorded[one.live] = one.recorded
                if one.isMentioned { mentions[one.recorded] = one.live }
            }
        }
    }
}

extension ClientCommand.Role {
    /// Whether both are names of the same kind of thing.
    fileprivate func isSameKind(as other: ClientCommand.Role) -> Bool {
        switch (self, other) {
        case (.client, .client), (.token, .token), (.change, .change), (.key, .key): true
        default: false
        }
    }
}
