internal import Notation
internal import OpenRosa
internal import Simperium
internal import Wire

extension TraceComparison {
    /// Compares what both sides hold at the end of two recordings: the contents of buckets, and cases.
    ///
    /// The state of a client is listed where the server has the same in both recordings.
    public mutating func compareStates(_ a: SessionState, _ b: SessionState, _ emit: Emit) {
        for (one, other) in Self.paired(
            a.buckets, b.buckets,
            by: [
                { "\($0.app)\n\($0.name)\n\($0.user ?? "")" },
                { "\($0.app)\n\($0.name)" },
            ])
        {
            compare(one, other, emit)
        }
        let domainsA = a.domains.values.sorted { $0.name < $1.name }
        let domainsB = b.domains.values.sorted { $0.name < $1.name }
        var differing: Set<String> = []
        for (one, other) in Self.paired(
            domainsA.map { (here($0.name), $0) }, domainsB.map { ($0.name, $0) }, by: [{ $0.0 }])
        {
            guard let name = one?.0 ?? other?.0 else { continue }
            let found = compareCases(
                one?.1.cases, other?.1.cases, "cases of \(OneLine.text(name))", leavingOut: [], emit
            )
            differing.formUnion(found)
        }
        for (one, other) in Self.paired(
            a.users.map { (here($0.domain), $0) }, b.users.map { ($0.domain, $0) },
            by: [
                { "\($0.0)\n\($0.1.user ?? "")\n\($0.1.device ?? "")" },
                { "\($0.0)\n\($0.1.user ?? "")" },
            ])
        {
            guard let (domain, user) = one ?? other else { continue }
            let name = OneLine.text("\(user.user ?? "a user") of \(domain)")
            _ = compareCases(
                one?.1.local, other?.1.local, "cases on the device of \(name)",
                leavingOut: differing, emit)
            let forms = (one?.1.unanswered.count ?? 0, other?.1.unanswered.count ?? 0)
            if forms.0 != forms.1 {
                var item = ComparedItem(.changed, a: nil, b: nil)
                (item.lineA, item.lineB) = ("forms not seen accepted", "forms not seen accepted")
                item.differences = [
                    .init(
                        part: .state,
                        difference: Difference(
                            .presence, "number", recorded: String(forms.0), live: String(forms.1)))
                ]
                emit(.item(item))
            }
        }
    }

    /// A domain as the second recording names it.
    private func here(_ domain: String) -> String {
        guard let slash = domain.firstIndex(of: "/") else { return hosts[domain] ?? domain }
        let host = String(domain[..<slash])
        return (hosts[host] ?? host) + domain[slash...]
    }

    /// What belongs together: what is named alike by the first name, then by the second, each in its
    /// order.
    private static func paired<Element>(
        _ a: [Element], _ b: [Element], by names: [(Element) -> String]
    ) -> [(Element?, Element?)] {
        var partner = [Int?](repeating: nil, count: a.count)
        var isFree = [Bool](repeating: true, count: b.count)
        for name in names {
            var places: [String: [Int]] = [:]
            for place in b.indices.reversed() where isFree[place] {
                places[name(b[place]), default: []].append(place)
            }
            for place in a.indices where partner[place] == nil {
                guard let other = places[name(a[place])]?.popLast() else { continue }
                partner[place] = other
                isFree[other] = false
            }
        }
        return a.indices.map { (a[$0], partner[$0].map { b[$0] }) }
            + b.indices.filter { isFree[$0] }.map { (nil, b[$0]) }
    }

    // MARK: Buckets

    private mutating func compare(_ one: BucketState?, _ other: BucketState?, _ emit: Emit) {
        guard let bucket = one ?? other else { return }
        let app = bucket.app.isEmpty ? "" : " of \(OneLine.text(bucket.app))"
        let user = bucket.user.map { " for \(OneLine.text($0))" } ?? ""
        emit(.section("contents of bucket \(OneLine.text(bucket.name))\(app)\(user)"))
        let differing = compare(
            one?.objects ?? [:], other?.objects ?? [:], leavingOut: [], isQuiet: false, emit)
        for (left, right) in Self.paired(
            one?.clients ?? [], other?.clients ?? [], by: [{ $0.id }, { _ in "" }])
        {
            guard let client = left ?? right else { continue }
            emit(
                .section(
                    "what client \(OneLine.text(client.id)) has of bucket "
                        + "\(OneLine.text(bucket.name))\(app)\(user)"))
            _ = compare(
                left.map(Self.local) ?? [:], right.map(Self.local) ?? [:],
                leavingOut: differing, isQuiet: true, emit)
            let waiting = (left?.unacknowledgedCount ?? 0, right?.unacknowledgedCount ?? 0)
            guard waiting.0 != waiting.1 else { continue }
            var item = ComparedItem(.changed, a: nil, b: nil)
            (item.lineA, item.lineB) = ("changes not acknowledged", "changes not acknowledged")
            item.differences = [
                .init(
                    part: .state,
                    difference: Difference(
                        .presence, "number", recorded: String(waiting.0), live: String(waiting.1)))
            ]
            emit(.item(item))
        }
    }

    /// What the user of a client sees.
    private static func local(_ client: BucketClient) -> [ExactText: Ledger.Object] {
        var objects = client.objects
        for key in client.unacknowledged.keys {
            let (exists, json) = client.local(key.string)
            objects[key] =
                exists
                ? Ledger.Object(version: objects[key]?.version ?? 0, json: json) : nil
        }
        return objects
    }

    /// Compares objects by key, and gives the keys of those that differ.
    ///
    /// Keys in `known`, as the second recording has them, are left out; equal objects are not
    /// listed where `isQuiet`.
    private mutating func compare(
        _ one: [ExactText: Ledger.Object], _ other: [ExactText: Ledger.Object],
        leavingOut known: Set<String>, isQuiet: Bool, _ emit: Emit
    ) -> Set<String> {
        var left: [String: (key: String, object: Ledger.Object)] = [:]
        for (key, object) in one { left[names.other(key.string)] = (key.string, object) }
        var right: [String: Ledger.Object] = [:]
        for (key, object) in other { right[key.string] = object }
        var differing: Set<String> = []
        for key in Set(left.keys).union(right.keys).subtracting(known).sorted() {
            let one = left[key]
            let other = right[key]
            func line(_ key: String, _ object: Ledger.Object) -> String {
                "object \(OneLine.text(key)), version \(object.version)"
            }
            var item = ComparedItem(
                one == nil ? .added : other == nil ? .missing : .same,
                a: one?.object.command?.rawValue, b: other?.command?.rawValue,
                lineA: one.map { line($0.key, $0.object) }, lineB: other.map { line(key, $0) })
            if let one, let other {
                var found = Differences(limit: options.limit + 200)
                if one.object.version != other.version {
                    found.add(
                        Difference(
                            .presence, "version", recorded: String(one.object.version),
                            live: String(other.version)))
                }
                let names = names
                func meaning(_ json: [UInt8]?) -> Meaning {
                    json.map { Meaning($0, contentType: "application/json", without: leftOut) }
                        ?? .nothing
                }
                if one.object.json != other.json {
                    found.compare(
                        meaning(one.object.json).mapping(names.other), meaning(other.json),
                        in: Difference.Scope())
                }
                settle(found, .state, into: &item)
                if !item.differences.isEmpty { item.change = .changed }
            }
            if item.change.isDifference { differing.insert(key) }
            if item.change.isDifference || !isQuiet { emit(.item(item)) }
        }
        return differing
    }

    // MARK: Cases

    private mutating func compareCases(
        _ one: CaseSet?, _ other: CaseSet?, _ title: String, leavingOut known: Set<String>,
        _ emit: Emit
    ) -> Set<String> {
        emit(.section(title))
        var left: [String: CaseState] = [:]
        for (id, state) in one?.cases ?? [:] { left[names.other(id.string)] = state }
        var right: [String: CaseState] = [:]
        for (id, state) in other?.cases ?? [:] { right[id.string] = state }
        var differing: Set<String> = []
        for id in Set(left.keys).union(right.keys).subtracting(known).sorted() {
            let one = left[id]
            let other = right[id]
            func line(_ state: CaseState) -> String {
                OneLine.text("case \(state.id) \(state.caseType ?? "") \(state.name ?? "")")
            }
            var item = ComparedItem(
                one == nil ? .added : other == nil ? .missing : .same, a: nil, b: nil,
                lineA: one.map(line), lineB: other.map(line))
            if let one, let other {
                var found = Differences(limit: options.limit + 200)
                let names = names
                found.compare(
                    fields(one).map { FormField($0.name, names.other($0.value)) }, fields(other),
                    .presence, in: Difference.Scope())
                settle(found, .state, into: &item)
                if !item.differences.isEmpty { item.change = .changed }
            }
            if item.change.isDifference { differing.insert(id) }
            emit(.item(item))
        }
        return differing
    }

    /// What a case is, by name.
    private func fields(_ state: CaseState) -> [FormField] {
        var fields: [FormField] = []
        func add(_ name: String, _ value: String?) {
            if let value { fields.append(FormField(name, value)) }
        }
        add("case_type", state.caseType)
        add("case_name", state.name)
        add("owner_id", state.ownerID)
        add("external_id", state.externalID)
        if options.isExact {
            add("user_id", state.userID)
            add("date_opened", state.dateOpened)
            add("date_modified", state.dateModified)
        }
        add("closed", state.isClosed ? "true" : "false")
        for (name, value) in state.properties.sorted(by: { $0.key.string < $1.key.string }) {
            add(name.string, value)
        }
        for (name, index) in state.indices.sorted(by: { $0.key.string < $1.key.string }) {
            add("index \(name.string)", index.target)
            add("index \(name.string) relationship", index.relationship)
        }
        for (name, file) in state.attachments.sorted(by: { $0.key.string < $1.key.string }) {
            add("attachment \(name.string)", file.source ?? "")
        }
        return fields
    }
}
