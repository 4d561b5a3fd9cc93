import Interception
import NIOCore
import NIOSSL
import Notation
import Wire

/// TLS on the legs of a connection.
extension ProxyConnection {
    func secureServer(_ leg: LegID, _ name: String) {
        guard let line = lines[leg] else { return }
        do {
            let verdict = ServerVerdict()
            let handler = try configuration.trust.handler(for: name, verdict: verdict)
            begin(leg, name)
            lines[leg]?.verdict = verdict
            let tap = HandshakeTap(isServer: false)
            lines[leg]?.tap = tap
            try line.channel.pipeline.syncOperations.addHandlers(
                [tap, handler], position: .before(line.handler))
        } catch {
            handshakeFailed(leg, TLSFailure(error, on: .server), name)
        }
    }

    func secureClient(host: String, hello: [UInt8], isExpired: Bool) {
        guard let line = lines[clientLeg] else { return }
        do {
            let context =
                isExpired
                ? try configuration.leaves.expiredContext(for: host) : try leaf(for: host)
            begin(clientLeg, host)
            let tap = HandshakeTap(isServer: true)
            lines[clientLeg]?.tap = tap
            try line.channel.pipeline.syncOperations.addHandlers(
                [tap, configuration.leaves.handler(context)], position: .before(line.handler))
            line.channel.pipeline.fireChannelRead(line.channel.allocator.buffer(bytes: hello))
            line.channel.pipeline.fireChannelReadComplete()
        } catch {
            handshakeFailed(clientLeg, TLSFailure(error, on: .client), host)
        }
    }

    /// The certificate for a host; one for the listening address where the client requests a name
    /// that no certificate can have.
    private func leaf(for host: String) throws(InterceptionError) -> NIOSSLContext {
        do {
            return try configuration.leaves.context(for: host)
        } catch {
            guard error.code == .badHost, host != listener else { throw error }
            return try configuration.leaves.context(for: listener)
        }
    }

    /// What a handshake agreed on, as JSON for the trace.
    func particulars(of leg: LegID, name: String, alpn: String?) -> String {
        guard let line = lines[leg] else { return "{}" }
        var object = JSONObject([.init("server_name", .string(name))])
        if let facts = line.tap?.facts {
            if let version = facts.version {
                object.members.append(.init("version", .string(version)))
            }
            if let cipher = facts.cipher { object.members.append(.init("cipher", .string(cipher))) }
        }
        if let alpn { object.members.append(.init("alpn", .string(alpn))) }
        if let shown = try? line.channel.pipeline.syncOperations.nioSSL_peerCertificate()?
            .toDERBytes()
        {
            let (subject, fingerprint) = ShownCertificate.words(shown)
            object.members.append(
                .init(
                    "peer_certificate",
                    .object(
                        JSONObject([
                            .init("subject", .string(subject)),
                            .init("sha256", .string(fingerprint)),
                        ]))))
        }
        return JSONValue.object(object).text()
    }

    /// A handshake begins, and has to end in time.
    private func begin(_ leg: LegID, _ name: String) {
        lines[leg]?.security = .handshaking(serverName: name)
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        lines[leg]?.deadline = eventLoop.scheduleTask(
            in: .seconds(configuration.handshakeSeconds)
        ) {
            guard case .handshaking(let name) = bound.value.lines[leg]?.security else { return }
            let side: TLSFailure.Leg = leg == bound.value.clientLeg ? .client : .server
            bound.value.handshakeFailed(leg, TLSFailure(.timeout, on: side), name)
        }
    }

    /// Suppresses the report of a handshake that does not end because the proxy closes the leg: no
    /// peer caused it.
    ///
    /// - Returns: Whether one was in progress; what is written then waits for its end.
    func breaksHandshakeOff(_ leg: LegID) -> Bool {
        guard isHandshaking(leg) else { return false }
        lines[leg]?.security = .plain
        lines[leg]?.deadline?.cancel()
        lines[leg]?.deadline = nil
        return true
    }

    /// The cause, from the error of the TLS library and the unencrypted alert of the client.
    func failure(_ errors: [any Error], on leg: LegID) -> TLSFailure {
        let side: TLSFailure.Leg = leg == clientLeg ? .client : .server
        if let code = lines[leg]?.tap?.code { return TLSFailure(alert: code, on: side) }
        if let reason = lines[leg]?.verdict?.reason {
            return TLSFailure(.verification(reason: reason), on: side)
        }
        return errors.isEmpty ? TLSFailure(.closed, on: side) : TLSFailure(errors, on: side)
    }

    /// A server sent an alert after the handshake: with TLS 1.3 it may want a certificate only then.
    func refusedLate(_ leg: LegID, _ errors: [any Error]) {
        guard leg != clientLeg, case .secure(let name) = lines[leg]?.security else { return }
        let failure = TLSFailure(errors, on: .server)
        guard case .alert(let code, _) = failure.cause, [42, 116].contains(code) else { return }
        handshakeFailed(leg, failure, name)
    }

    /// A handshake with the client is over.
    func noteHandshake(_ host: String, _ failure: String?) {
        resources.clients.note(
            ClientTrust.Handshake(
                host: host, unixSeconds: relay.settings.clock.unixSeconds(at: sink.now()),
                failure: failure),
            of: relay.clientLeg.host)
    }

    func handshakeFailed(_ leg: LegID, _ failure: TLSFailure, _ name: String) {
        lines[leg]?.security = .plain
        note(.tlsFailed, leg, detail: "\(name): \(failure.detail)")
        configuration.notice(
            "tapedeck: TLS with \(leg == clientLeg ? "the client for " : "")\(name): \(failure)")
        if leg == clientLeg {
            noteHandshake(name, failure.detail)
            lines[leg]?.channel.close(promise: nil)
        } else {
            if resources.ownSockets.isLooping(lines[leg]?.own) {
                dispatch(.declined(leg, .loop(relay.connection.listener)))
            } else {
                dispatch(.refused(leg, failure.detail))
            }
            lines[leg]?.channel.close(promise: nil)
        }
    }
}
