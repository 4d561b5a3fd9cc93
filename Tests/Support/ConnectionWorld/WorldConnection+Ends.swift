import Wire

@testable import Proxying

/// How a connection ends, and what is to be said about it.
extension WorldConnection {
    /// All peers send what they have and then end.
    mutating func askToEnd() {
        client.finish()
        client.losePatience()
        client.outbox.removeAll()
        if client.ending == nil { client.ending = .end }
        endServers()
    }

    private mutating func endServers() {
        for index in sockets.indices {
            if sockets[index].server != nil, sockets[index].server?.ending == nil {
                sockets[index].server?.ending = .end
            }
        }
        isEnding = true
    }

    /// The client is gone for good.
    mutating func resetClient() {
        guard let index = index(clientLeg), !sockets[index].isDead else { return }
        note("the client is gone")
        sockets[index].state = .dead(isReset: true)
    }

    /// Whether a fault keeps something from going on for ever.
    var isStalled: Bool {
        ledger.faults.contains { $0.contains("stall") || $0.contains("drop") }
    }

    /// Why something waits that nothing hinders; nil where nothing does.
    var whyStuck: String? {
        if ledger.unrecordedBytes > 0, !plan.isWeak {
            return "\(ledger.unrecordedBytes) bytes were read and wait for nothing"
        }
        if ledger.unsentBytes > 0, ledger.ownAnswers == 0 {
            return "\(ledger.unsentBytes) bytes wait to be sent for nothing"
        }
        for socket in sockets where !socket.inbound.isEmpty {
            return "\(socket.inbound.count) bytes of leg \(socket.leg) are not read"
        }
        if !client.isDone { return "the client cannot say what it has to say" }
        if let wait = client.wait { return "the client waits in vain: \(wait)" }
        return nil
    }

    /// What did not hold since this was last asked.
    mutating func takeProblems(_ features: WorldFeatures) -> [String] {
        var found = problems + ledger.takeProblems()
        problems = []
        if !features.contains(.wholeTrace) {
            found.removeAll {
                $0.contains("not in the trace") || $0.contains("not what was read")
                    || $0.contains("TLS begins")
            }
        }
        if !features.contains(.silentEnds) { found.removeAll { $0.contains("2: sent on leg") } }
        if plan.isWeak || !features.contains(.counts) {
            found.removeAll { $0.contains("are counted") }
        }
        if plan.isWeak { found.removeAll { $0.hasPrefix("2:") } }
        if !found.isEmpty { isBlamed = true }
        return found.map { "\($0) [connection \(relay.connection.id)]" }
    }

    /// What is in the trace and went to nobody, without a reason.
    func unexplained(_ features: WorldFeatures) -> [String] {
        guard features.contains(.reasons), !plan.isWeak else { return [] }
        // What waited for a server that was not reached counts as gone on; with faults requests to
        // others go on meanwhile.
        guard ledger.faults.isEmpty || ledger.refusals == 0 else { return [] }
        var problems: [String] = []
        for sender in Peer.allCases {
            let runs = Dictionary(grouping: ledger.skipped.filter { $0.sender == sender }) {
                $0.run
            }
            var count = 0
            var first: String?
            for run in runs.keys.sorted() {
                let bytes = runs[run, default: []].filter { !$0.isLocal }.flatMap(\.bytes)
                // Nor does a request whose refusal waited for earlier answers to the end.
                if sender == .client, wasRefusing, run == ledger.lastRun(of: sender) { continue }
                count += bytes.count
                first = first ?? Self.text(bytes)
            }
            if count > ledger.undelivered[sender.rawValue] {
                problems.append(
                    "2: \(count) bytes of the \(sender) are in the trace and were not delivered, "
                        + "and it says \(ledger.undelivered[sender.rawValue]): \(first ?? "")")
            }
        }
        return problems
    }
}
