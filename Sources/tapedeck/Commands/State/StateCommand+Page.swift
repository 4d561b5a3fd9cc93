import Notation
import OpenRosa
import Replaying
import Simperium
import Wire

/// The state of each side, as text.
struct StatePage {
    let view: StateView
    /// Where its text goes.
    var put: (String) -> Void = { StandardOutput.write($0) }

    /// The maximum number of clients that get a separate column.
    private static let maxColumns = 6
    /// Bytes of data on a line.
    private static let excerpt = 80

    /// Writes the state of each side.
    ///
    /// - Returns: Number of objects and cases on which the sides disagree.
    func write() -> Int {
        var count = 0
        head()
        for bucket in view.buckets { count += write(bucket) }
        for user in view.users { count += write(user) }
        return count
    }

    private func head() {
        let time = view.at.map { "\(TimeSpan.clock($0.nanoseconds)) s, \(view.clock ?? "")" }
        line("at \(time ?? "the end of the trace")")
    }

    private func line(_ text: String = "") { put(text + "\n") }

    private func title(_ bucket: BucketState) -> String {
        "bucket \(ListLine.clean(bucket.name)) of application \(ListLine.clean(bucket.app))"
            + (bucket.user.map { ", user \(ListLine.clean($0))" } ?? "")
    }

    private func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    // MARK: Simperium

    private func write(_ bucket: BucketState) -> Int {
        let clients = view.clients(of: bucket)
        line()
        line(title(bucket))
        let width = ([6] + clients.map { $0.id.count + 7 }).max() ?? 6
        line(
            "  \(ListLine.pad("server", width))  cv \(cv(bucket.cv))  "
                + count(bucket.objects.count, "object") + (bucket.isComplete ? "" : " known"))
        for client in clients {
            let open = client.unacknowledgedCount
            line(
                "  \(ListLine.pad("client \(ListLine.clean(client.id))", width))  cv \(cv(client.cv))  "
                    + count(client.objects.count, "object")
                    + (client.isComplete ? "" : " known")
                    + (open > 0 ? ", \(count(open, "change")) not acknowledged" : "")
                    + (client.isConnected ? "" : ", not connected"))
        }
        var found: [ExactText: Int] = [:]
        for client in clients {
            for each in bucket.disagreements(with: client, key: view.key, limit: 1) {
                found[ExactText(each.key), default: 0] += 1
            }
        }
        let keys = view.keys(of: bucket, clients)
        guard !keys.isEmpty else { return found.count }
        let columns = clients.count <= Self.maxColumns ? clients : []
        var rows = [["", "KEY", "SERVER"] + columns.map { ListLine.clean($0.id) } + ["DATA"]]
        // Widths are those of the first rows, so that nothing is kept of the rest.
        var widths: [Int] = []
        for key in keys {
            rows.append(row(key, bucket, columns, differs: found[key]))
            if rows.count == 1_000 { flush(&rows, &widths) }
        }
        flush(&rows, &widths)
        if view.key != nil { for key in keys { whole(key, bucket, clients) } }
        return found.count
    }

    private func cv(_ cv: String?) -> String { cv.map(ListLine.clean) ?? "-" }

    private func row(
        _ key: ExactText, _ bucket: BucketState, _ clients: [BucketClient], differs: Int?
    ) -> [String] {
        let object = bucket.objects[key]
        var row = [differs == nil ? "" : "*", ListLine.clean(key.string)]
        row.append(object.map { String($0.version) } ?? "-")
        for client in clients {
            let changes = client.unacknowledged[key]?.count ?? 0
            row.append(
                (client.objects[key].map { String($0.version) } ?? "-")
                    + (changes > 0 ? " +\(changes)" : ""))
        }
        let json = object?.json ?? clients.lazy.compactMap { $0.local(key.string).json }.first
        row.append(
            json.map { ListLine.excerpt($0[...], Self.excerpt) }
                ?? (object == nil ? "" : "(not in the trace)"))
        return row
    }

    private func flush(_ rows: inout [[String]], _ widths: inout [Int]) {
        if widths.isEmpty, let first = rows.first {
            widths = first.indices.map { column in
                min(40, rows.lazy.map { $0[column].count }.max() ?? 0)
            }
        }
        var text = ""
        for row in rows {
            text += "  "
            for (column, cell) in row.enumerated() {
                text += column == row.count - 1 ? cell : ListLine.pad(cell, widths[column]) + "  "
            }
            while text.last == " " { text.removeLast() }
            text += "\n"
        }
        put(text)
        rows.removeAll(keepingCapacity: true)
    }

    /// An object in full.
    private func whole(_ key: ExactText, _ bucket: BucketState, _ clients: [BucketClient]) {
        if let json = bucket.objects[key]?.json { line("  server: \(text(json))") }
        for client in clients {
            if let json = client.local(key.string).json {
                line("  client \(ListLine.clean(client.id)): \(text(json))")
            }
            for change in client.unacknowledged[key] ?? [] {
                line("    \(StateWords.text(change))")
                if let operations = change.operations { line("      \(text(operations))") }
            }
        }
    }

    private func text(_ json: [UInt8]) -> String {
        ListLine.clean(String(decoding: json, as: UTF8.self))
    }

    // MARK: CommCare

    private func title(_ user: UserState) -> String {
        "CommCare \(ListLine.clean(user.domain))"
            + (user.user.map { ", user \(ListLine.clean($0))" } ?? "")
            + (user.device.map { ", device \(ListLine.clean($0))" } ?? "")
    }

    private func write(_ user: UserState) -> Int {
        let local = user.local
        line()
        line(title(user))
        line(
            "  server  sync token \(ListLine.clean(user.server.syncToken ?? "-"))"
                + place(user.server.restore) + "  expects on the device "
                + (user.server.log.map {
                    "\(count($0.caseIDs.count, "case")), \($0.stateHash)"
                } ?? "nothing that is known"))
        line(
            "  device  sync token \(ListLine.clean(user.client.syncToken ?? "-"))"
                + place(user.client.restore) + "  \(count(local.cases.count, "case")), "
                + "\(user.nextState)"
                + (StateWords.text(user.unanswered).map { ", \($0)" } ?? ""))
        if let sent = user.sentState {
            line("  device  sent \(ListLine.clean(sent.hash)) in #\(sent.exchange)")
        }
        if let mismatch = view.mismatch(of: user) { line("  \(StateWords.text(mismatch))") }
        for form in user.unanswered { line("  \(StateWords.text(form))") }
        let found = view.disagreements(with: user)
        let marked = Set(found.map { ExactText($0.caseID) })
        let cases = view.cases(of: user, local)
        guard !cases.isEmpty else { return found.count }
        var rows = [["", "CASE", "TYPE", "NAME", "SERVER", "DEVICE", "PROPERTIES"]]
        var widths: [Int] = []
        for (client, server) in cases {
            guard let either = client ?? server else { continue }
            let properties = (server ?? either).properties.sorted { $0.key.string < $1.key.string }
                .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            rows.append([
                marked.contains(ExactText(either.id)) ? "*" : "", ListLine.clean(either.id),
                ListLine.clean(either.caseType ?? "-"), ListLine.clean(either.name ?? "-"),
                status(server), status(client),
                ListLine.excerpt(Array(properties.utf8)[...], Self.excerpt),
            ])
            if rows.count == 1_000 { flush(&rows, &widths) }
        }
        flush(&rows, &widths)
        if view.key != nil {
            for (client, server) in cases {
                if let server { line("  server: \(StateLines.json(server))") }
                if let client { line("  device: \(StateLines.json(client))") }
            }
        }
        return found.count
    }

    private func place(_ exchange: ExchangeID?) -> String { exchange.map { " of #\($0)" } ?? "" }

    private func status(_ state: CaseState?) -> String {
        state.map { $0.isClosed ? "closed" : "open" } ?? "-"
    }

    // MARK: Differences

    /// Writes where the sides disagree.
    ///
    /// - Returns: Number of disagreements.
    func writeDifferences() -> Int {
        var total = 0
        head()
        for bucket in view.buckets {
            for client in view.clients(of: bucket) {
                let found = bucket.disagreements(with: client, key: view.key)
                guard !found.isEmpty else { continue }
                total += found.count
                line()
                line(
                    "\(title(bucket)), client \(ListLine.clean(client.id))"
                        + (client.isConnected ? "" : ", not connected"))
                for each in found { write(each) }
            }
        }
        for user in view.users {
            let found = view.disagreements(with: user)
            let hashes = StateLines.hashes(user)
            let mismatch = view.mismatch(of: user)
            guard
                !found.isEmpty || hashes.differ || mismatch != nil || !user.unanswered.isEmpty
            else { continue }
            total += found.count
            line()
            line(title(user))
            if hashes.differ {
                if found.isEmpty { total += 1 }
                line("  state hash: device \(hashes.client), server expects \(hashes.server)")
            }
            if let mismatch {
                total += 1
                line("  \(StateWords.text(mismatch))")
            }
            for form in user.unanswered { line("  \(StateWords.text(form))") }
            for each in found { write(each) }
        }
        line()
        line(total == 0 ? "client and server agree" : count(total, "disagreement"))
        return total
    }

    private func write(_ found: ObjectDisagreement) {
        line("  \(ListLine.clean(found.key)): \(StateWords.text(found))")
        if let missed = found.missed { line("    \(StateWords.text(missed))") }
        for change in found.unacknowledged { line("    \(StateWords.text(change))") }
        for item in found.differences.items {
            line(
                "    \(ListLine.clean(item.place)): server "
                    + "\(ListLine.clean(item.recorded ?? "nothing")), client "
                    + ListLine.clean(item.live ?? "nothing"))
        }
        if found.differences.isCut { line("    … and more") }
    }

    private func write(_ found: CaseDisagreement) {
        let type = found.caseType.map { " (\(ListLine.clean($0)))" } ?? ""
        let what =
            switch found.kind {
            case .missingOnClient: "the server has it, the device does not"
            case .missingOnServer: "the device has it, the server was not given it"
            case .data: "the values differ"
            }
        let newer =
            found.isNewer && found.kind != .missingOnServer
            ? "; it changed on the server after the last restore of the device" : ""
        line("  case \(ListLine.clean(found.caseID))\(type): \(what)\(newer)")
        for form in found.forms { line("    in form \(ListLine.clean(form)), not seen accepted") }
        for property in found.properties {
            line(
                "    \(ListLine.clean(property.name)): server "
                    + "\(property.server.map { "\"\(ListLine.clean($0))\"" } ?? "nothing"), device "
                    + (property.client.map { "\"\(ListLine.clean($0))\"" } ?? "nothing"))
        }
    }
}
