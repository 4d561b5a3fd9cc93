internal import Notation
internal import OpenRosa
internal import Wire

/// A case on which a device and the server do not agree.
public struct CaseDisagreement: Hashable, Sendable {
    /// What is not the same.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The server has it for this device, which lacks it.
        case missingOnClient = "missing-on-client"
        /// The device has it, the server was never given it.
        case missingOnServer = "missing-on-server"
        /// Both have it, with other values.
        case data
    }

    /// A property with two values.
    public struct Property: Hashable, Sendable {
        /// Its name; `index NAME` for a reference to another case.
        public var name: String
        /// The server's value; nil where it has none.
        public var server: String?
        /// The device's value; nil where it has none.
        public var client: String?
    }

    /// Identifier of the case.
    public var caseID: String
    /// Type of the case.
    public var caseType: String?
    /// What is not the same.
    public var kind: Kind
    /// The properties that differ, by name.
    public var properties: [Property]
    /// Whether the server changed or got it after the last restore that the device received.
    public var isNewer: Bool
    /// Forms with this case that the device has not seen accepted.
    public var forms: [String]
}

extension SessionState {
    /// The project of a user, with all its cases.
    public func domain(of user: UserState) -> DomainState? { domains[user.domain] }

    /// The cases on which a device and the server do not agree, by identifier.
    ///
    /// Whether the server has a case for a device is determined by owners and references, as it
    /// does when it makes a restore.
    public func disagreements(with user: UserState) -> [CaseDisagreement] {
        let server = domains[user.domain]
        let cases = server?.cases.cases ?? [:]
        let local = user.local
        var found: [CaseDisagreement] = []
        func add(
            _ id: ExactText, _ kind: CaseDisagreement.Kind, _ type: String?,
            _ properties: [CaseDisagreement.Property] = []
        ) {
            let forms = user.unanswered.filter { form in
                form.events.contains { event in
                    guard case .caseBlock(let block) = event, let name = block.caseID else {
                        return false
                    }
                    return ExactText(name) == id
                }
            }
            found.append(
                CaseDisagreement(
                    caseID: id.string, caseType: type, kind: kind, properties: properties,
                    isNewer: server?.touched[id] ?? 0 > user.client.restoredAt,
                    forms: forms.map(\.instanceID)))
        }
        for (id, state) in local.cases {
            guard let other = cases[id] else {
                add(id, .missingOnServer, state.caseType)
                continue
            }
            let properties = CaseDisagreement.compare(server: other, client: state)
            if !properties.isEmpty { add(id, .data, state.caseType ?? other.caseType, properties) }
        }
        if user.client.isComplete,
            let purge = try? CasePurge.judge(
                cases, owners: user.client.owners, passes: .complete)
        {
            for (id, state) in cases where local.cases[id] == nil && !purge.removed.contains(id) {
                add(id, .missingOnClient, state.caseType)
            }
        }
        return found.sorted { $0.caseID.utf8.lexicographicallyPrecedes($1.caseID.utf8) }
    }
}

extension CaseDisagreement {
    static func compare(server: CaseState, client: CaseState) -> [Property] {
        let a = values(server)
        let b = values(client)
        return Set(a.keys).union(b.keys).compactMap { name -> Property? in
            let one = a[name]
            let other = b[name]
            guard one.map(ExactText.init) != other.map(ExactText.init) else { return nil }
            return Property(name: name.string, server: one, client: other)
        }.sorted { $0.name < $1.name }
    }

    /// The properties of a case by name; who changed it last and when is ignored.
    private static func values(_ state: CaseState) -> [ExactText: String] {
        var values = state.properties
        func set(_ name: String, _ value: String?) {
            if let value { values[ExactText(name)] = value }
        }
        set("case_type", state.caseType)
        set("case_name", state.name)
        set("owner_id", state.ownerID)
        set("external_id", state.externalID)
        if state.isClosed { set("closed", "true") }
        for (name, index) in state.indices {
            set("index \(name)", "\(index.target) (\(index.relationship))")
        }
        return values
    }
}
