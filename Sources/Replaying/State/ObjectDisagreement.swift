internal import Notation
public import Simperium
internal import Wire

/// An object of a bucket on which a client and the server do not agree.
public struct ObjectDisagreement: Hashable, Sendable {
    /// What is not the same.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The server has it, the client does not.
        case missingOnClient = "missing-on-client"
        /// The client has it, the server does not.
        case missingOnServer = "missing-on-server"
        /// They have it at different versions.
        case version
        /// They have it at one version, with different data.
        case data
        /// The client changed it and has not seen that acknowledged.
        case unacknowledged
    }

    /// The client.
    public var client: String
    /// Key of the object.
    public var key: String
    /// What is not the same.
    public var kind: Kind
    /// What the server has.
    public var server: Ledger.Object?
    /// What the client received last.
    public var received: Ledger.Object?
    /// Whether the user of the client sees an object.
    public var isSeen: Bool
    /// What the client's user sees, as JSON text; nil where that is unknown.
    public var seen: [UInt8]?
    /// The client's changes that it has not seen acknowledged.
    public var unacknowledged: [UnacknowledgedChange]
    /// The server's change that the client does not have.
    public var missed: MissedChange?
    /// Where the data differ: recorded is what the server has, live what the client's user sees.
    public var differences: Differences
}

extension BucketState {
    /// The objects on which a client and the server do not agree, by key.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - key: One object alone; nil for all.
    ///   - limit: The maximum number of differences of one object that are listed.
    /// - Returns: None where both have the same, as far as the trace shows.
    public func disagreements(
        with client: BucketClient, key: String? = nil, limit: Int = 20
    ) -> [ObjectDisagreement] {
        var keys: Set<ExactText> = []
        if let key {
            keys.insert(ExactText(key))
        } else {
            for (key, object) in objects where client.objects[key] != object { keys.insert(key) }
            for key in client.objects.keys where objects[key] == nil { keys.insert(key) }
            keys.formUnion(client.unacknowledged.keys)
        }
        return keys.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
            .compactMap { disagreement(with: client, $0, limit) }
    }

    private func disagreement(
        with client: BucketClient, _ key: ExactText, _ limit: Int
    ) -> ObjectDisagreement? {
        let server = objects[key]
        let received = client.objects[key]
        let changes = client.unacknowledged[key] ?? []
        let missed = client.missed[key]
        let seen = client.local(key.string)
        var differences = Differences(limit: limit)
        if let server = server?.json, let json = seen.json, server != json,
            let a = Ledger.Object.value(server), let b = Ledger.Object.value(json)
        {
            differences.compare(a, b, at: "", in: Difference.Scope())
        }
        let kind: ObjectDisagreement.Kind
        switch (server, received) {
        case (nil, nil):
            guard !changes.isEmpty else { return nil }
            kind = .unacknowledged
        case (nil, _?):
            guard isComplete || missed != nil || !changes.isEmpty else { return nil }
            kind = .missingOnServer
        case (_?, nil):
            if !changes.isEmpty {
                kind = .unacknowledged
            } else {
                guard client.isComplete || missed != nil else { return nil }
                kind = .missingOnClient
            }
        case (let server?, let received?):
            if server.version != received.version {
                kind = .version
            } else if !changes.isEmpty {
                kind = .unacknowledged
            } else if !differences.isEmpty {
                kind = .data
            } else {
                return nil
            }
        }
        return ObjectDisagreement(
            client: client.id, key: key.string, kind: kind, server: server, received: received,
            isSeen: seen.exists, seen: seen.json, unacknowledged: changes, missed: missed,
            differences: differences)
    }
}
