import Framing
import Wire

/// What waits for answers, and what is dropped.
extension Relay {
    /// Whether what the client sends has to wait after what it sent before.
    var isBlocked: Bool { blocked != nil || !backlog.isEmpty }

    /// The request for another protocol, where nothing but its answer is awaited.
    var awaitedUpgrade: HTTPHead? {
        guard case .http = phase, requests.isPaused, outstanding.count == 1,
            let request = outstanding.first, request.kind != .connect
        else { return nil }
        return request.switching
    }

    /// Whether an upstream server received a CONNECT and did not answer yet.
    var isAwaitingTunnel: Bool { requests.isPaused && outstanding.last?.kind == .connect }

    /// Goes on with what waited for answers.
    mutating func settle(_ at: Instant, _ commands: inout [RelayCommand]) {
        giveLocalAnswers(at, &commands)
        drain(at, &commands)
    }

    /// Processes the reads that waited, as far as they may be forwarded now.
    mutating func drain(_ at: Instant, _ commands: inout [RelayCommand]) {
        if let waiting = blocked, outstanding.isEmpty, case .http = phase {
            blocked = nil
            resume(waiting, &commands)
        }
        // What waits here may be the very request after which the framer paused.
        if requests.isPaused, blocked == nil, outstanding.last?.switching == nil {
            requests.resume(.http)
        }
        while mayGoOn { readOn(&commands) }
        if clientEnds.isPeerOver, !isBlocked { endRequests(at, &commands) }
    }

    /// Whether answers of the current server can be separated, so that requests wait for them.
    var isCounting: Bool {
        legs.firstIndex { $0.id == current }.map { legs[$0].scan.isFramed } ?? true
    }

    /// Whether the next read that waits can be inspected now.
    private var mayGoOn: Bool {
        guard blocked == nil, !backlog.isEmpty else { return false }
        switch phase {
        case .http:
            return !requests.isPaused
                && (!scan.isFramed || !requests.isBetweenMessages
                    || outstanding.count < Self.maximumOutstanding || !isCounting)
        case .start, .hello, .socks, .raw, .refusing, .closed:
            return true
        case .securing, .connecting:
            return false
        }
    }

    private mutating func readOn(_ commands: inout [RelayCommand]) {
        guard let read = backlog.takeFirst() else { return }
        if case .http = phase {
            readRequests(read, &commands)
        } else {
            received(clientLeg.id, read, &commands)
        }
    }

    // MARK: Undelivered bytes

    /// Records undelivered bytes, and why, unless that was recorded before.
    mutating func undeliver(
        _ part: HeldBytes, on leg: LegID, _ why: String, _ commands: inout [RelayCommand]
    ) {
        guard !part.sent.isEmpty, isRecorded(leg) else { return }
        let sender: Peer = leg == clientLeg.id ? .client : .server
        sayUndelivered(leg, "\(sender): \(why)", part.at, &commands)
        recordUndelivered(part, leg: leg, sender: sender, &commands)
    }

    /// Why bytes are not forwarded to a server whose leg was half-closed.
    static let reportedEnd = "its server's leg was half-closed before"

    /// Whether the leg to a server was half-closed, or closed.
    func isEnded(_ leg: LegID) -> Bool {
        legs.firstIndex { $0.id == leg }.map { legs[$0].ends.isRelayOver } ?? true
    }

    mutating func sayUndelivered(
        _ leg: LegID, _ text: String, _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        guard saidUndelivered.insert(text).inserted else { return }
        record(.undelivered, leg: leg, at: at, detail: text, &commands)
    }

    /// What waits does so for HTTP to continue: where nothing of the client is forwarded any more
    /// it is dropped, and where bytes are forwarded unread it is forwarded, in either case before
    /// what follows.
    mutating func forwardReady(_ at: Instant, _ commands: inout [RelayCommand]) {
        switch phase {
        case .refusing, .closed:
            loseHeld(&commands)
        case .raw:
            let waiting = takeHeld()
            for held in waiting {
                received(clientLeg.id, held, &commands)
            }
            if !waiting.isEmpty { drain(at, &commands) }
        case .start where isOwnSite && !backlog.isEmpty:
            drain(at, &commands)
        case .start, .hello, .socks, .securing, .http, .connecting:
            return
        }
    }

    /// What waits of the client is dropped.
    mutating func loseHeld(_ commands: inout [RelayCommand]) {
        for held in takeHeld() {
            undeliver(held, on: clientLeg.id, "the connection is being closed", &commands)
        }
    }

    /// What waits of the client, in order, which no longer waits here.
    private mutating func takeHeld() -> [HeldBytes] {
        var waiting = scan.partial.takeAll()
        if let blocked {
            waiting.append(blocked.read.dropFirst(blocked.position))
        }
        blocked = nil
        waiting += backlog.takeAll()
        waiting.removeAll { $0.bytes.isEmpty }
        return waiting
    }

    /// Nothing that was received is left out of the trace, even what was never passed on.
    mutating func recordHeldBytes(_ at: Instant, _ commands: inout [RelayCommand]) {
        let waiting = takeHeld()
        let count = waiting.reduce(0) { $0 + $1.bytes.count }
        guard count > 0 else { return }
        sayUndelivered(
            clientLeg.id, "client: its last \(count) bytes waited when the connection was closed",
            at, &commands)
        for held in waiting {
            recordUndelivered(held, leg: clientLeg.id, sender: .client, &commands)
        }
    }
}

extension [Patch] {
    /// The same patches in bytes that begin elsewhere.
    func moved(by distance: Int) -> [Patch] {
        guard distance != 0 else { return self }
        return map {
            Patch(
                offset: $0.offset + distance, removed: $0.removed, inserted: $0.inserted,
                reason: $0.reason)
        }
    }
}
