import Notation
import OpenRosa
import Replaying
import Simperium
import Wire

/// The state of each side, as one JSON object per line.
struct StateLines {
    let view: StateView

    /// Writes the state of each side.
    ///
    /// - Returns: Number of objects and cases on which the sides disagree.
    func write() -> Int {
        moment()
        var count = 0
        for bucket in view.buckets { count += write(bucket) }
        for user in view.users { count += write(user) }
        return count
    }

    private func moment() {
        line("moment") {
            $0.add("at_ns", view.at?.nanoseconds)
            $0.add("at", view.clock)
        }
    }

    private func line(_ kind: String, _ fill: (inout JSONObjectText) -> Void) {
        var object = JSONObjectText()
        object.add("kind", kind)
        fill(&object)
        StandardOutput.write(object.text + "\n")
    }

    private static func text(_ json: [UInt8]?) -> String {
        // JSON text of a peer; line feeds between its values would end the line.
        json.map {
            String(decoding: $0.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
        }
            ?? "null"
    }

    private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ","))]" }

    // MARK: Simperium

    private func name(_ bucket: BucketState, in object: inout JSONObjectText) {
        object.add("app", bucket.app)
        object.add("user", bucket.user)
        object.add("bucket", bucket.name)
    }

    private func write(_ bucket: BucketState) -> Int {
        let clients = view.clients(of: bucket)
        line("bucket") {
            name(bucket, in: &$0)
            $0.add("cv", bucket.cv)
            $0.add("objects", Int64(bucket.objects.count))
            $0.add("is_complete", bucket.isComplete ? 1 : 0)
        }
        for client in clients {
            line("client") {
                name(bucket, in: &$0)
                $0.add("client", client.id)
                $0.add("cv", client.cv)
                $0.add("objects", Int64(client.objects.count))
                $0.add("unacknowledged", Int64(client.unacknowledgedCount))
                $0.add("is_complete", client.isComplete ? 1 : 0)
                $0.add("is_connected", client.isConnected ? 1 : 0)
            }
        }
        var found: Set<ExactText> = []
        for client in clients {
            for each in bucket.disagreements(with: client, key: view.key, limit: 1) {
                found.insert(ExactText(each.key))
            }
        }
        for key in view.keys(of: bucket, clients) {
            object(bucket, nil, key, bucket.objects[key])
            for client in clients {
                object(bucket, client, key, client.objects[key])
                for change in client.unacknowledged[key] ?? [] {
                    line("unacknowledged") {
                        name(bucket, in: &$0)
                        $0.add("client", client.id)
                        Self.fill(change, in: &$0)
                    }
                }
            }
        }
        return found.count
    }

    private func object(
        _ bucket: BucketState, _ client: BucketClient?, _ key: ExactText, _ object: Ledger.Object?
    ) {
        guard let object else { return }
        line("object") {
            name(bucket, in: &$0)
            $0.add("client", client?.id)
            $0.add("key", key.string)
            $0.add("version", object.version)
            $0.add("data", raw: Self.text(object.json))
            $0.add("command_id", object.command?.rawValue)
        }
    }

    private static func fill(_ change: UnacknowledgedChange, in object: inout JSONObjectText) {
        object.add("key", change.key)
        object.add("ccid", change.ccid)
        object.add("o", change.isRemoval ? "-" : "M")
        object.add("sv", change.sv)
        object.add("v", raw: text(change.operations))
        object.add("d", raw: text(change.data))
        object.add("command_id", change.command?.rawValue)
        object.add("at_ns", change.at.nanoseconds)
        object.add("tries", Int64(change.tries))
        object.add("outcome", StateWords.name(change.outcome))
        switch change.outcome {
        case .accepted(let version): object.add("version", version)
        case .refused(let code), .refusedUnseen(let code): object.add("error", Int64(code))
        case .unanswered, .lost, .duplicate: break
        }
    }

    // MARK: CommCare

    private func name(_ user: UserState, in object: inout JSONObjectText) {
        object.add("domain", user.domain)
        object.add("user", user.user)
        object.add("device", user.device)
    }

    private func write(_ user: UserState) -> Int {
        let local = user.local
        line("user") {
            name(user, in: &$0)
            $0.add("client_sync_token", user.client.syncToken)
            $0.add("server_sync_token", user.server.syncToken)
            $0.add("client_cases", Int64(local.cases.count))
            $0.add("server_cases", user.server.log.map { Int64($0.caseIDs.count) })
            $0.add("client_state", user.nextState.description)
            $0.add("server_state", user.server.log?.stateHash.description)
            $0.add("sent_state", user.sentState?.hash)
        }
        for form in user.unanswered {
            line("form") {
                name(user, in: &$0)
                Self.fill(form, in: &$0)
            }
        }
        for (client, server) in view.cases(of: user, local) {
            if let server {
                line("case") {
                    name(user, in: &$0)
                    $0.add("side", "server")
                    $0.add("case", raw: Self.json(server))
                }
            }
            if let client {
                line("case") {
                    name(user, in: &$0)
                    $0.add("side", "client")
                    $0.add("case", raw: Self.json(client))
                }
            }
        }
        return view.disagreements(with: user).count
    }

    private static func fill(_ form: UnansweredForm, in object: inout JSONObjectText) {
        object.add("instance_id", form.instanceID)
        object.add("exchange_id", form.exchange.rawValue)
        object.add("at_ns", form.at.nanoseconds)
        object.add("tries", Int64(form.tries))
        object.add("outcome", StateWords.name(form.outcome))
        switch form.outcome {
        case .refused(let status), .unconfirmed(let status): object.add("status", Int64(status))
        case .unanswered, .lost, .accepted: break
        }
        object.add("is_cleared", form.isCleared ? 1 : 0)
    }

    /// A case as a JSON object.
    static func json(_ state: CaseState) -> String {
        var object = JSONObjectText()
        object.add("case_id", state.id)
        object.add("case_type", state.caseType)
        object.add("case_name", state.name)
        object.add("owner_id", state.ownerID)
        object.add("external_id", state.externalID)
        object.add("date_opened", state.dateOpened)
        object.add("date_modified", state.dateModified)
        object.add("closed", state.isClosed ? 1 : 0)
        var properties = JSONObjectText()
        for (name, value) in state.properties.sorted(by: { $0.key.string < $1.key.string }) {
            properties.add(name.string, value)
        }
        object.add("properties", raw: properties.text)
        var indices = JSONObjectText()
        for (name, index) in state.indices.sorted(by: { $0.key.string < $1.key.string }) {
            var value = JSONObjectText()
            value.add("case_type", index.caseType)
            value.add("relationship", index.relationship)
            value.add("target", index.target)
            indices.add(name.string, raw: value.text)
        }
        object.add("indices", raw: indices.text)
        return object.text
    }

    /// The hashes of the cases of a device and of those that the server expects on it.
    static func hashes(_ user: UserState) -> (client: String, server: String, differ: Bool) {
        let client = user.nextState
        guard let log = user.client.syncToken.flatMap({ user.server.log($0) }) else {
            return (client.description, "-", false)
        }
        let server = log.stateHash
        return (client.description, server.description, client != server)
    }

    // MARK: Differences

    /// Writes where the sides disagree.
    ///
    /// - Returns: Number of disagreements.
    func writeDifferences() -> Int {
        moment()
        var total = 0
        for bucket in view.buckets {
            for client in view.clients(of: bucket) {
                for found in bucket.disagreements(with: client, key: view.key) {
                    total += 1
                    line("object-disagreement") {
                        name(bucket, in: &$0)
                        fill(found, in: &$0)
                    }
                }
            }
        }
        for user in view.users {
            let found = view.disagreements(with: user)
            let hashes = Self.hashes(user)
            if hashes.differ {
                if found.isEmpty { total += 1 }
                line("state-disagreement") {
                    name(user, in: &$0)
                    $0.add("client_state", hashes.client)
                    $0.add("server_state", hashes.server)
                }
            }
            if let mismatch = view.mismatch(of: user) {
                total += 1
                line("sent-state-disagreement") {
                    name(user, in: &$0)
                    $0.add("sent_state", mismatch.sent.description)
                    $0.add("client_state", mismatch.expected.description)
                    $0.add("exchange_id", mismatch.exchange.rawValue)
                    $0.add("missing", raw: Self.list(mismatch.missing.map(JSONString.quoted)))
                    $0.add(
                        "additional", raw: Self.list(mismatch.additional.map(JSONString.quoted)))
                }
            }
            for form in user.unanswered {
                line("form") {
                    name(user, in: &$0)
                    Self.fill(form, in: &$0)
                }
            }
            for each in found {
                total += 1
                line("case-disagreement") {
                    name(user, in: &$0)
                    fill(each, in: &$0)
                }
            }
        }
        return total
    }

    private func fill(_ found: ObjectDisagreement, in object: inout JSONObjectText) {
        object.add("client", found.client)
        object.add("key", found.key)
        object.add("what", found.kind.rawValue)
        object.add("server_version", found.server?.version)
        object.add("client_version", found.received?.version)
        object.add("server_data", raw: Self.text(found.server?.json))
        object.add("client_data", raw: Self.text(found.seen))
        var missed: JSONObjectText?
        if let change = found.missed {
            var item = JSONObjectText()
            item.add("why", StateWords.name(change.reason))
            item.add("version", change.version)
            item.add("command_id", change.command?.rawValue)
            item.add("at_ns", change.at.nanoseconds)
            missed = item
        }
        object.add("missed", raw: missed?.text ?? "null")
        let changes = found.unacknowledged.map { change in
            var item = JSONObjectText()
            Self.fill(change, in: &item)
            return item.text
        }
        object.add("unacknowledged", raw: Self.list(changes))
        let differences = found.differences.items.map { difference in
            var item = JSONObjectText()
            item.add("kind", difference.kind.rawValue)
            item.add("path", difference.path)
            item.add("server", difference.recorded)
            item.add("client", difference.live)
            return item.text
        }
        object.add("differences", raw: Self.list(differences))
    }

    private func fill(_ found: CaseDisagreement, in object: inout JSONObjectText) {
        object.add("case_id", found.caseID)
        object.add("case_type", found.caseType)
        object.add("what", found.kind.rawValue)
        object.add("is_newer", found.isNewer ? 1 : 0)
        object.add("forms", raw: Self.list(found.forms.map(JSONString.quoted)))
        let properties = found.properties.map { property in
            var item = JSONObjectText()
            item.add("name", property.name)
            item.add("server", property.server)
            item.add("client", property.client)
            return item.text
        }
        object.add("properties", raw: Self.list(properties))
    }
}
