internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Opens connections to a Simperium server, with TLS where its URL says so.
struct Dialer: Sendable {
    let target: SimperiumTarget
    private let context: NIOSSLContext?

    /// A dialer that trusts the authorities of the system and those in a file.
    init(
        _ target: SimperiumTarget, trustFile: String?
    ) throws(SimperiumClientError) {
        self.target = target
        guard target.isSecure else {
            context = nil
            return
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.shutdownTimeout = .milliseconds(200)
        do {
            if let trustFile {
                let certificates = try NIOSSLCertificate.fromPEMFile(trustFile)
                configuration.additionalTrustRoots = [.certificates(certificates)]
            }
        } catch {
            throw .trust("\(trustFile ?? "") holds no certificate in PEM; check --ca")
        }
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw .trust("TLS cannot be spoken: \(error)")
        }
    }

    /// Opens a connection that ends in the handler that is made for it.
    func dial(
        on loop: any EventLoop,
        _ handler: @escaping @Sendable () -> any ChannelHandler & SendableMetatype
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: loop)
            .connectTimeout(.seconds(10))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [context, target] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        // An address is verified as one, and not sent as the server's name.
                        let isAddress = (try? SocketAddress(ipAddress: target.host, port: 0)) != nil
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(
                                context: context, serverHostname: isAddress ? nil : target.host))
                    }
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .connect(host: target.host, port: target.port)
    }

    /// Why a connection failed, for people.
    static func says(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            guard let first = error.connectionErrors.first else {
                return "no address for \(error.host)"
            }
            return says(first.error)
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return "connection refused; check that it runs and the port is right"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: return "no answer within 10 s"
        default: return TLSAdvice.says(error) ?? "\(error)"
        }
    }
}
