internal import OpenRosa
internal import Wire

/// The cases of devices, as recorded and as they are now, for the hash that a restore sends.
///
/// A device is identified by its sync token, which its next restore and its submissions contain.
/// Only those are kept whose token the recording sends together with a hash later on.
struct HTTPDeviceCases: Sendable {
    private struct Key: Hashable {
        var host: String
        var token: String
    }

    /// The cases of one device.
    private struct Cases {
        /// Nil where the recording begins too late to determine it.
        var recorded: CaseSet?
        var live: CaseSet

        mutating func submit(_ recorded: [CommCareEvent], _ live: [CommCareEvent]) {
            _ = try? self.recorded?.submit(recorded, .tolerant)
            _ = try? self.live.submit(live, .tolerant)
        }

        /// These with an incremental restore.
        func restored(_ recorded: [CommCareEvent], _ live: [CommCareEvent]) -> Cases {
            Cases(
                recorded: self.recorded.map { HTTPDeviceCases.set(recorded, .incremental, $0) },
                live: HTTPDeviceCases.set(live, .incremental, self.live))
        }
    }

    private struct Device {
        /// With what all forms do.
        var all: Cases
        /// Without what forms do that the server refused for good, where there were any: some
        /// devices take that back, others do not.
        var accepted: Cases?
    }

    private var devices: [Key: Device] = [:]
    private let wanted: Set<Key>

    init(_ exchanges: some Sequence<RecordedExchange>) {
        var wanted: Set<Key> = []
        for exchange in exchanges {
            guard let query = exchange.query, query.contains("since="), query.contains("state=")
            else { continue }
            let pieces = QueryText(query)
            guard let token = pieces["since"], pieces["state"] != nil else { continue }
            wanted.insert(Key(host: exchange.host, token: token))
        }
        self.wanted = wanted
    }

    /// Whether anything about this device is of use.
    func isWanted(_ token: String?, host: String) -> Bool {
        token.map { wanted.contains(Key(host: host, token: $0)) } ?? false
    }

    /// Adds a form that the device submits.
    ///
    /// - Parameters:
    ///   - recorded: The recorded form.
    ///   - live: The form that is sent.
    ///   - token: Its recorded sync token.
    ///   - host: The recorded host.
    ///   - isRefused: Whether the recorded server refused it for good.
    mutating func submit(
        _ recorded: [CommCareEvent], _ live: [CommCareEvent], token: String, host: String,
        isRefused: Bool = false
    ) {
        let key = Key(host: host, token: token)
        guard var device = devices.removeValue(forKey: key) else { return }
        if isRefused {
            if device.accepted == nil { device.accepted = device.all }
        } else {
            device.accepted?.submit(recorded, live)
        }
        device.all.submit(recorded, live)
        devices[key] = device
    }

    /// Adds a restore.
    ///
    /// - Parameters:
    ///   - recorded: The recorded restore.
    ///   - live: The live one.
    ///   - since: The recorded sync token that it continues from; nil for a full one.
    ///   - host: The recorded host.
    mutating func restore(
        _ recorded: [CommCareEvent], _ live: [CommCareEvent], since: String?, host: String
    ) {
        guard let token = Self.token(of: recorded) else { return }
        let before = since.flatMap { devices.removeValue(forKey: Key(host: host, token: $0)) }
        let key = Key(host: host, token: token)
        guard wanted.contains(key) else { return }
        guard since != nil else {
            devices[key] = Device(
                all: Cases(
                    recorded: Self.set(recorded, .full, CaseSet()),
                    live: Self.set(live, .full, CaseSet())))
            return
        }
        guard let before else { return }
        devices[key] = Device(
            all: before.all.restored(recorded, live),
            accepted: before.accepted?.restored(recorded, live))
    }

    /// Adds a full restore that was requested from the live server only.
    ///
    /// - Parameters:
    ///   - live: The restore.
    ///   - token: The recorded sync token that it replaces.
    ///   - host: The recorded host.
    mutating func recover(_ live: [CommCareEvent], token: String, host: String) {
        let key = Key(host: host, token: token)
        guard wanted.contains(key) else { return }
        var device = devices[key] ?? Device(all: Cases(recorded: nil, live: CaseSet()))
        device.all.live = Self.set(live, .full, device.all.live)
        device.accepted?.live = device.all.live
        devices[key] = device
    }

    /// The `state` to send in place of the recorded one.
    ///
    /// Where the recorded hash was not that of the recorded cases, the live one is made incorrect
    /// in the same way.
    ///
    /// - Parameters:
    ///   - sent: As recorded.
    ///   - token: Its recorded sync token.
    ///   - host: The recorded host.
    /// - Returns: Nil where the device is unknown, or what was sent is not a hash.
    func state(for sent: String, token: String, host: String) -> String? {
        guard let device = devices[Key(host: host, token: token)],
            let hash = try? CaseStateHash(parsing: sent)
        else { return nil }
        guard let recorded = device.all.recorded else {
            return Self.purged(device.all.live).stateHash.description
        }
        for cases in [device.all, device.accepted].compactMap(\.self) {
            guard let recorded = cases.recorded else { continue }
            if recorded.stateHash == hash { return cases.live.stateHash.description }
            if Self.purged(recorded).stateHash == hash {
                return Self.purged(cases.live).stateHash.description
            }
        }
        // A device that states to have no cases has none under any name.
        guard let sent = hash.digest else { return hash.description }
        let digest = Self.purged(device.all.live).stateHash.digest ?? .zero
        let wrong = digest ^ Self.purged(recorded).stateHash.difference(from: hash)
        // Without a case left, a device writes no digits.
        return CaseStateHash(digest: wrong == .zero && sent != .zero ? nil : wrong).description
    }

    /// The sync token that a restore gives.
    static func token(of events: [CommCareEvent]) -> String? {
        var found: String?
        for case .restoreID(let token) in events where !token.id.isEmpty { found = token.id }
        return found
    }

    private static func set(
        _ events: [CommCareEvent], _ extent: RestoreInProgress.Extent, _ before: CaseSet
    ) -> CaseSet {
        var restore = RestoreInProgress(extent, of: before, .tolerant)
        for event in events { _ = try? restore.receive(event) }
        return restore.finish()
    }

    /// The cases that remain on a device when it syncs; all count as its own.
    private static func purged(_ set: CaseSet) -> CaseSet {
        var set = set
        _ = try? set.purge(owners: nil)
        return set
    }
}
