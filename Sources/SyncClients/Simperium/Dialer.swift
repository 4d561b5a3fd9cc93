internal import Interception
internal import NIOCore
internal import NIOPosix
internal import Platform

/// Opens connections to a Simperium server, with TLS where its URL requires it.
struct Dialer: Sendable {
    let target: SimperiumTarget
    private let trust: ServerTrust?

    /// A dialer that trusts the authorities of the system and those in a file, or anybody.
    init(
        _ target: SimperiumTarget, trustFile: String?, isInsecure: Bool = false
    ) throws(SimperiumClientError) {
        self.target = target
        guard target.isSecure else {
            trust = nil
            return
        }
        do throws(InterceptionError) {
            trust = try ServerTrust(
                isInsecure ? .insecure : .full(additionalRoots: trustFile.map { [$0] } ?? []))
        } catch {
            switch error.code {
            case .damaged, .storage:
                throw .trust("\(trustFile ?? "") has no certificate in PEM; check --ca")
            default: throw .trust("TLS cannot be used: \(error)")
            }
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
            .channelInitializer { [trust, target] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let trust {
                        let verdict = ServerVerdict()
                        try channel.pipeline.syncOperations.addHandlers(
                            trust.handler(for: target.host, verdict: verdict),
                            VerdictTeller(verdict))
                    }
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .connect(host: target.host, port: target.port)
    }

    /// Why a connection failed, as text.
    static func detail(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            guard let first = error.connectionErrors.first else {
                return "no address for \(error.host)"
            }
            return detail(first.error)
        case let error as IOError where error.errnoCode == ECONNREFUSED:
            return "connection refused; check that it runs and the port is right"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: return "no answer within 10 s"
        case let error as CertificateRefusal: return error.description
        default: return TLSAdvice.detail(error) ?? "\(error)"
        }
    }
}

/// A server's certificate was not accepted.
private struct CertificateRefusal: Error, CustomStringConvertible {
    /// The error, in a few words.
    let reason: String

    var description: String {
        "the certificate is not accepted: \(reason); check --to, and name its authority's "
            + "certificate with --ca if it is to be trusted"
    }
}

/// Determines why a certificate was not accepted; the TLS library only reports that it was not.
private final class VerdictTeller: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let verdict: ServerVerdict

    init(_ verdict: ServerVerdict) { self.verdict = verdict }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(verdict.reason.map { CertificateRefusal(reason: $0) } ?? error)
    }
}
