import Interception
import NIOCore
import NIOSSL
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
            try line.channel.pipeline.syncOperations.addHandler(
                handler, position: .before(line.handler))
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
            let tap = AlertTap()
            lines[clientLeg]?.tap = tap
            try line.channel.pipeline.syncOperations.addHandlers(
                [tap, NIOSSLServerHandler(context: context)], position: .before(line.handler))
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

    func handshakeFailed(_ leg: LegID, _ failure: TLSFailure, _ name: String) {
        lines[leg]?.security = .plain
        note(.tlsFailed, leg, detail: "\(name): \(failure.detail)")
        configuration.notice(
            "tapedeck: TLS with \(leg == clientLeg ? "the client for " : "")\(name): \(failure)")
        if leg == clientLeg {
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
