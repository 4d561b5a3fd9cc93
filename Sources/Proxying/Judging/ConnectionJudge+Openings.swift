import Faults
import Wire

extension ConnectionJudge {
    /// Inspects the connections that the relay opens, and changes them where a rule requires it.
    mutating func judgeOpenings(
        from first: Int, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) {
        var refused: [LegID] = []
        var index = first
        while index < commands.count {
            switch commands[index] {
            case .connect(let leg, let server), .connectThrough(let leg, let server, _, _):
                let isNew = openings?.host != server.host
                let firings = firings(host: server.host, port: server.port, at, relay)
                if isNew, !relay.isClientTLS {
                    // Those for the servers before: a client may name a new one in each request.
                    failUnsecured(at, &relay, &commands)
                    unsecured = firings.filter {
                        [.tlsFailure, .expiredCertificate].contains($0.action.kind)
                    }
                }
                if let firing = firings.first(where: { $0.action.kind == .refuse }) {
                    commands.remove(at: index)
                    state(firing, at, &relay, &commands)
                    refused.append(leg)
                    continue
                }
            case .secureClient(let host, let hello, _):
                unsecured = []
                let port = relay.fixed?.port ?? 443
                let name = host.isEmpty ? relay.fixed?.host ?? "" : host
                for firing in firings(host: name, port: port, at, relay) {
                    switch firing.action.kind {
                    case .expiredCertificate:
                        commands[index] = .secureClient(host: host, hello: hello, isExpired: true)
                        state(firing, at, &relay, &commands)
                    case .tlsFailure:
                        // A fatal alert, handshake_failure (RFC 8446, 6), in the clear.
                        commands[index] = .send(relay.clientLeg.id, [21, 3, 3, 0, 2, 2, 40])
                        state(firing, at, &relay, &commands)
                        relay.sayHandshakeLost(hello.count, at, &commands)
                        relay.cut(isReset: false, at, &commands)
                    case .refuse, .reset:
                        commands.remove(at: index)
                        state(firing, at, &relay, &commands)
                        relay.sayHandshakeLost(hello.count, at, &commands)
                        relay.cut(isReset: true, at, &commands)
                    default:
                        continue
                    }
                    break
                }
            default:
                break
            }
            index += 1
        }
        for leg in refused {
            give(.refused(leg, "connection refused by a fault", .refused), at, &relay, &commands)
        }
    }

    private mutating func firings(
        host: String, port: Int, _ at: Instant, _ relay: Relay
    ) -> [Firing] {
        if let openings, openings.host == host { return openings.firings }
        let firings = session.judgeOpening(host: host, port: port, context(of: relay), at: at)
        openings = (host, firings)
        return firings
    }

    /// States what was to be done to TLS that the client did not use.
    mutating func failUnsecured(
        _ at: Instant, _ relay: inout Relay, _ commands: inout [RelayCommand]
    ) {
        for firing in unsecured {
            session.fail(firing)
            guard relay.isRecorded(relay.clientLeg.id) else { continue }
            relay.record(
                .fault(
                    firing.row(
                        at: at, connection: relay.connection.id, sender: nil,
                        problem: "the client did not use TLS")), &commands)
        }
        unsecured = []
    }

    private func state(
        _ firing: Firing, _ at: Instant, _ relay: inout Relay,
        _ commands: inout [RelayCommand]
    ) {
        guard relay.isRecorded(relay.clientLeg.id) else { return }
        relay.record(
            .fault(firing.row(at: at, connection: relay.connection.id, sender: nil)), &commands)
    }
}
