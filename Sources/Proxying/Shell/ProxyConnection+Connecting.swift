import Interception
import NIOCore
import NIOPosix
import NIOSSL
import Wire

/// Connections to servers, directly or through another proxy.
extension ProxyConnection {
    /// Connects a leg to its server.
    func connect(_ leg: LegID, _ server: ServerAddress) {
        guard claimDescriptor() else {
            dispatch(.declined(leg, .exhausted(resources.descriptors)))
            return
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let bootstrap = outward.channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try Self.setOptions(of: channel)
                try bound.value.attach(channel, leg)
            }
        }
        connect(bootstrap, to: server.host, server.port)
            .whenComplete { result in bound.value.connected(leg, server, result) }
    }

    /// Connects a leg to a proxy, which connects the server where `isTunnel`.
    func connect(
        _ leg: LegID, _ server: ServerAddress, through proxy: UpstreamProxy, isTunnel: Bool,
        attempt: Int = 1
    ) {
        guard attempt > 1 || claimDescriptor() else {
            dispatch(.declined(leg, .exhausted(resources.descriptors)))
            return
        }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        // A proxy that gets requests learns who asks in each of them.
        let authorization =
            isTunnel ? resources.upstreams.authorization(for: proxy, target: server.place) : nil
        let verdict = ServerVerdict()
        let trust = configuration.trust
        let bootstrap = outward.channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try Self.setOptions(of: channel)
                if proxy.kind == .https {
                    try channel.pipeline.syncOperations.addHandler(
                        trust.handler(for: proxy.host, verdict: verdict))
                }
                try channel.pipeline.syncOperations.addHandler(
                    UpstreamHandler(
                        proxy, to: server, isTunnel: isTunnel, authorization: authorization))
            }
        }
        let way = UpstreamWay(
            leg: leg, server: server, proxy: proxy, isTunnel: isTunnel, attempt: attempt)
        connect(bootstrap, to: proxy.host, proxy.port).whenComplete { result in
            do {
                let channel = try result.get()
                let handler = try channel.pipeline.syncOperations.handler(
                    type: UpstreamHandler.self)
                bound.value.speak(by: handler, on: channel, way, verdict)
            } catch {
                let why = UpstreamHandler.Failure(
                    description: "the upstream proxy \(proxy.address) cannot be reached: "
                        + ConnectCause.detail(error))
                bound.value.connected(leg, server, .failure(why))
            }
        }
    }

    /// Waits for what an upstream proxy says, as long as for a handshake.
    private func speak(
        by handler: UpstreamHandler, on channel: any Channel, _ way: UpstreamWay,
        _ verdict: ServerVerdict
    ) {
        let speaking = NIOLoopBound(handler, eventLoop: eventLoop)
        let deadline = eventLoop.scheduleTask(in: .seconds(configuration.handshakeSeconds)) {
            speaking.value.giveUp()
        }
        handler.whenDone { [self] outcome in
            deadline.cancel()
            upstreamAnswered(outcome, way, channel, handler, verdict)
        }
    }

    /// An upstream proxy has connected the server, or will not.
    private func upstreamAnswered(
        _ outcome: Result<UpstreamHandler.Outcome, any Error>, _ way: UpstreamWay,
        _ channel: any Channel, _ handler: UpstreamHandler, _ verdict: ServerVerdict
    ) {
        switch outcome {
        case .success(.connected):
            do {
                let proxied =
                    way.isTunnel || way.proxy.credentials == nil
                    ? nil
                    : lines[way.leg]?.proxied ?? ProxiedLeg(proxy: way.proxy, server: way.server)
                try attach(channel, way.leg)
                lines[way.leg]?.proxied = proxied
                connected(way.leg, way.server, .success(channel))
                proxyIsConnected(way.leg)
                // What the proxy sent behind its answer comes after TLS is in place.
                channel.pipeline.syncOperations.removeHandler(handler, promise: nil)
            } catch {
                channel.close(promise: nil)
                connected(way.leg, way.server, .failure(error))
            }
        case .success(.challenged(let challenge)) where way.attempt < 3:
            resources.upstreams.learn(challenge, from: way.proxy)
            connect(
                way.leg, way.server, through: way.proxy, isTunnel: way.isTunnel,
                attempt: way.attempt + 1)
        case .success(.challenged):
            let why = UpstreamHandler.Failure(
                description: "the upstream proxy \(way.proxy.address): it does not accept the user "
                    + "and the password")
            connected(way.leg, way.server, .failure(why))
        case .failure(let error):
            channel.close(promise: nil)
            var detail = "\(error)"
            if !(error is UpstreamHandler.Failure) {
                let cause =
                    verdict.reason.map {
                        TLSFailure(.verification(reason: $0), on: .server)
                    } ?? TLSFailure([error], on: .server)
                detail = "the upstream proxy \(way.proxy.address): \(cause.detail)"
            }
            connected(
                way.leg, way.server, .failure(UpstreamHandler.Failure(description: detail)))
        }
    }

    /// Sets the options that the channels of all legs have.
    ///
    /// Called on the event loop by what initializes a channel: a bootstrap makes several futures for
    /// each option.
    static func setOptions(of channel: any Channel) throws {
        guard let options = channel.syncOptions else { throw ChannelError.operationUnsupported }
        try options.setOption(.allowRemoteHalfClosure, value: true)
        try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
        try options.setOption(.recvAllocator, value: reads)
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(.writeBufferWaterMark, value: writeMarks)
    }

    /// What connects, without its handlers.
    private var outward: ClientBootstrap {
        // Multipath TCP on and off again takes the bootstrap's own option for TCP_NODELAY out, for which it makes
        // several futures; it is among those that are set at once.
        var bootstrap = ClientBootstrap(group: eventLoop)
            .enableMPTCP(true).enableMPTCP(false)
            .connectTimeout(.seconds(configuration.connectSeconds))
        if let own = configuration.outward.bind,
            let address = try? SocketAddress(ipAddress: own, port: 0)
        {
            bootstrap = bootstrap.bind(to: address)
        }
        return bootstrap
    }

    private func connect(
        _ bootstrap: ClientBootstrap, to host: String, _ port: Int
    ) -> EventLoopFuture<any Channel> {
        if let answer = configuration.outward.answer(for: host, port: port) {
            let addresses = answer.compactMap { try? SocketAddress(ipAddress: $0, port: port) }
            return bootstrap.resolver(KnownAddresses(addresses, eventLoop))
                .connect(host: host, port: port)
        }
        if host == "::1", relay.isTransparent {
            // A program tries the next address of `localhost` where nobody is at one; here it is connected
            // before that is known.
            let addresses = ["::1", "127.0.0.1"].compactMap {
                try? SocketAddress(ipAddress: $0, port: port)
            }
            return bootstrap.resolver(KnownAddresses(addresses, eventLoop))
                .connect(host: host, port: port)
        }
        // To resolve a name takes threads and waits; an address is none.
        let address = try? SocketAddress(ipAddress: host, port: port)
        return address.map { bootstrap.connect(to: $0) }
            ?? bootstrap.resolver(resources.names.resolver(on: eventLoop))
            .connect(host: host, port: port)
    }

    /// The pipeline of a server leg, in place before its first byte.
    private func attach(_ channel: any Channel, _ leg: LegID) throws {
        let handler = LegHandler(leg: leg, connection: self)
        try channel.pipeline.syncOperations.addHandler(handler)
        // A name with several addresses may try several channels; the one that connects counts.
        lines[leg] = Line(channel: channel, handler: handler)
    }

    private func connected(
        _ leg: LegID, _ server: ServerAddress, _ result: Result<any Channel, any Error>
    ) {
        switch result {
        case .success(let channel):
            guard lines[clientLeg] != nil else {
                // It is not active yet, so that there is no notification when it becomes inactive.
                let handler = try? channel.pipeline.syncOperations.handler(type: LegHandler.self)
                channel.close(promise: nil)
                handler?.end()
                return
            }
            if lines[leg]?.channel !== channel,
                let handler = try? channel.pipeline.syncOperations.handler(type: LegHandler.self)
            {
                lines[leg] = Line(channel: channel, handler: handler)
            }
            if resources.ownSockets.connected(channel.localAddress, to: channel.remoteAddress) {
                lines[leg]?.own = channel.localAddress
            }
            note(.opened, leg, detail: channel.remoteAddress.text)
            if server.isTLS { secureServer(leg, server.host) } else { dispatch(.ready(leg)) }
            updateReading()
        case .failure(let error):
            releaseDescriptor()
            lines[leg] = nil
            if let refusal = refusal(for: error) {
                dispatch(.declined(leg, refusal))
            } else {
                dispatch(.refused(leg, ConnectCause.detail(error), ConnectCause.kind(error)))
            }
            endIfAlone()
        }
    }
}

/// A way to a server through another proxy.
private struct UpstreamWay {
    let leg: LegID
    let server: ServerAddress
    let proxy: UpstreamProxy
    let isTunnel: Bool
    /// Which connection to the proxy it is, from 1.
    let attempt: Int
}

/// Addresses that were given for a name, in place of those of a name server.
private final class KnownAddresses: Resolver, Sendable {
    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop

    init(_ addresses: [SocketAddress], _ eventLoop: any EventLoop) {
        self.addresses = addresses
        self.eventLoop = eventLoop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
