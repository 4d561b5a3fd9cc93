import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Platform
import SwiftASN1
import Testing
import X509

@testable import Interception

/// Every cause is produced by a real handshake, so that the mapping is that of the library we use.
struct TLSFailureTests {
    let authority: CertificateAuthority
    let leaves: LeafCache

    init() throws {
        authority = try CertificateAuthority.create(host: "tests")
        leaves = try LeafCache(authority: authority)
    }

    /// TLS as Tapedeck serves it.
    func intercepting(_ host: String = "localhost") throws -> @Sendable (any Channel) throws -> Void
    {
        let context = try leaves.context(for: host)
        return { try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
    }

    /// A client as somebody else would configure it.
    func client(
        _ change: (inout TLSConfiguration) -> Void
    ) throws -> @Sendable (any Channel) throws -> Void {
        var configuration = TLSConfiguration.makeClientConfiguration()
        change(&configuration)
        let context = try NIOSSLContext(configuration: configuration)
        return {
            try $0.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: context, serverHostname: "localhost"))
        }
    }

    @Test(arguments: [TLSVersion.tlsv12, .tlsv13])
    func `tells that a client does not trust the authority`(version: TLSVersion) async throws {
        let reports = try await Loopback.run(
            server: try intercepting(),
            client: try client {
                $0.minimumTLSVersion = version
                $0.maximumTLSVersion = version
            })
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(
            failure.cause == .alert(code: 48, name: "unknown_ca"),
            "\(String(describing: reports.server.errors))")
        #expect(failure.description.contains("does not trust"))
        #expect(failure.description.contains("tapedeck ca"))
    }

    @Test func `tells that a client has no cipher suite in common`() async throws {
        let reports = try await Loopback.run(
            server: try intercepting(),
            client: try client {
                $0.maximumTLSVersion = .tlsv12
                $0.cipherSuites = "ECDHE-RSA-AES128-GCM-SHA256"
            })
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(failure.cause == .noSharedCipher, "\(String(describing: reports.server.errors))")
        #expect(failure.detail == "no shared cipher with the client")
        // And what the client's side would be told, were it one of ours.
        let other = TLSFailure(reports.client.errors, on: .server)
        #expect(other.cause == .alert(code: 40, name: "handshake_failure"))
    }

    @Test func `tells that a client of TLS 1-2 names no curves`() async throws {
        // ECDHE-ECDSA-AES128-GCM-SHA256, and ecdsa_secp256r1_sha256 for its only extension.
        let offer: [UInt8] = [0, 2, 0xC0, 0x2B, 1, 0, 0, 8, 0, 13, 0, 4, 0, 2, 4, 3]
        let body = [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + offer
        let message = [1, 0, 0, UInt8(body.count)] + body
        let reports = try await Loopback.run(
            server: try intercepting(), client: { _ in },
            clientSends: [22, 3, 1, 0, UInt8(message.count)] + message)
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(failure.cause == .noSharedCipher, "\(String(describing: reports.server.errors))")
    }

    @Test func `tells that a client is too old`() async throws {
        let reports = try await Loopback.run(
            server: try intercepting(), client: try client { $0.maximumTLSVersion = .tlsv11 })
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(failure.cause == .noSharedVersion, "\(String(describing: reports.server.errors))")
        let other = TLSFailure(reports.client.errors, on: .server)
        #expect(other.cause == .alert(code: 70, name: "protocol_version"))
    }

    @Test func `tells that a client does not speak TLS`() async throws {
        let reports = try await Loopback.run(
            server: try intercepting(), client: { _ in },
            clientSends: Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(failure.cause == .notTLS, "\(String(describing: reports.server.errors))")
    }

    @Test(arguments: [[], [22, 3, 1, 2, 0, 1]] as [[UInt8]])
    func `tells that a client closed`(sent: [UInt8]) async throws {
        let reports = try await Loopback.run(
            server: try intercepting(), client: { _ in }, clientSends: sent,
            then: { $0.close(promise: nil) })
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(failure.cause == .closed, "\(String(describing: reports.server.errors))")
        #expect(failure.advice.contains("tapedeck ca"))
    }

    @Test func `tells that a client reset the connection`() async throws {
        let reports = try await Loopback.run(
            server: try intercepting(), client: { _ in }, clientSends: [22, 3, 1, 2, 0, 1],
            then: { channel in
                resetting(channel).whenComplete { _ in channel.close(promise: nil) }
            })
        let failure = TLSFailure(reports.server.errors, on: .client)
        #expect(failure.cause == .reset, "\(String(describing: reports.server.errors))")
    }

    /// TLS as Tapedeck speaks it to a server at `host`.
    func trusting(
        _ verification: ServerTrust.Verification, host: String = "localhost",
        verdict: ServerVerdict = ServerVerdict()
    ) throws -> @Sendable (any Channel) throws -> Void {
        let trust = try ServerTrust(verification)
        return {
            try $0.pipeline.syncOperations.addHandler(trust.handler(for: host, verdict: verdict))
        }
    }

    @Test func `tells that a server's authority is unknown`() async throws {
        let verdict = ServerVerdict()
        let reports = try await Loopback.run(
            server: try intercepting(),
            client: try trusting(.full(additionalRoots: []), verdict: verdict))
        guard case .verification = TLSFailure(reports.client.errors, on: .server).cause else {
            Issue.record("\(String(describing: reports.client.errors))")
            return
        }
        let reason = try #require(verdict.reason)
        #expect(reason.hasPrefix("unknown authority (") && reason.contains("CN=Tapedeck CA tests"))
        let failure = TLSFailure(.verification(reason: reason), on: .server)
        #expect(failure.advice.contains("--server-ca"))
        #expect(!reports.client.isUp)
    }

    @Test(arguments: ["other.example", "127.0.0.1"])
    func `tells that a server's certificate is for another host`(host: String) async throws {
        try await withAuthority { file in
            let verdict = ServerVerdict()
            let reports = try await Loopback.run(
                server: try intercepting("localhost"),
                client: try trusting(
                    .full(additionalRoots: [file]), host: host, verdict: verdict))
            let failure = TLSFailure(reports.client.errors, on: .server)
            guard case .verification = failure.cause else {
                Issue.record("\(String(describing: reports.client.errors))")
                return
            }
            #expect(verdict.reason == "other name (it names localhost)")
        }
    }

    @Test func `tells that a server does not speak TLS`() async throws {
        let reports = try await Loopback.run(
            server: { _ in }, client: try trusting(.insecure),
            serverSends: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        let failure = TLSFailure(reports.client.errors, on: .server)
        #expect(failure.cause == .notTLS, "\(String(describing: reports.client.errors))")
    }

    @Test(arguments: [false, true])
    func `tells that a server went away`(resets: Bool) async throws {
        let reports = try await Loopback.run(
            server: { channel in
                if resets { _ = resetting(channel) }
                try channel.pipeline.syncOperations.addHandler(ClosesOnFirstByte())
            },
            client: try trusting(.insecure))
        let failure = TLSFailure(reports.client.errors, on: .server)
        #expect(
            failure.cause == (resets ? .reset : .closed),
            "\(String(describing: reports.client.errors))")
    }

    @Test func `tells that a server is too old`() async throws {
        let key = try NIOSSLPrivateKey(bytes: Array(leaves.key.derRepresentation), format: .der)
        let leaf = try leaves.leaf(try HostName("localhost"), CertificateAuthority.systemSeconds)
        let certificate = try NIOSSLCertificate(
            bytes: Array(leaf.serializeAsPEM().derBytes), format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.maximumTLSVersion = .tlsv11
        let context = try NIOSSLContext(configuration: configuration)
        let reports = try await Loopback.run(
            server: {
                try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            },
            client: try trusting(.insecure))
        let failure = TLSFailure(reports.client.errors, on: .server)
        #expect(
            [.noSharedVersion, .alert(code: 70, name: "protocol_version")].contains(failure.cause),
            "\(String(describing: reports.client.errors))")
        #expect(
            failure.advice
                == "the server needs TLS 1.2 or 1.3, or an older one that --tls-min allows")
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `completes where the authority is trusted`(host: String) async throws {
        try await withAuthority { file in
            let reports = try await Loopback.run(
                server: try intercepting(host),
                client: { channel in
                    try trusting(.full(additionalRoots: [file]), host: host)(channel)
                    try channel.pipeline.syncOperations.addHandler(ClosesAfterHandshake())
                })
            #expect(reports.server.isUp)
            #expect(reports.server.errors.isEmpty, "\(String(describing: reports.server.errors))")
            #expect(reports.client.errors.isEmpty, "\(String(describing: reports.client.errors))")
        }
    }

    @Test func `prefers the error that tells most`() {
        let closed = NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake]))
        let reset = IOError(errnoCode: 104, reason: "read")
        #expect(TLSFailure([closed, reset], on: .client).cause == .reset)
        #expect(TLSFailure([reset, closed], on: .client).cause == .reset)
        #expect(TLSFailure([], on: .client).cause == .closed)
        #expect(TLSFailure(TLSFailure(.timeout, on: .client), on: .client).cause == .timeout)
        #expect(TLSFailure(ChannelError.connectTimeout(.seconds(1)), on: .server).cause == .timeout)
    }

    @Test func `finds the cause in errors of sockets and of the library`() {
        func cause(_ error: any Error) -> TLSFailure.Cause { TLSFailure(error, on: .server).cause }
        #expect(cause(IOError(errnoCode: ETIMEDOUT, reason: "read")) == .timeout)
        #expect(cause(IOError(errnoCode: EPIPE, reason: "write")) == .reset)
        for error in [ChannelError.eof, .ioOnClosedChannel, .inputClosed] {
            #expect(cause(error) == .closed)
        }
        #expect(cause(NIOSSLError.uncleanShutdown) == .closed)
        #expect(cause(NIOSSLError.shutdownFailed(.zeroReturn)) == .closed)
        #expect(
            cause(NIOSSLError.noCertificateToValidate)
                == .verification(reason: "the server sent none"))
        #expect(
            cause(NIOSSLError.unableToValidateCertificate)
                == .verification(reason: "it could not be validated"))
        guard case .other(let text) = cause(IOError(errnoCode: EMFILE, reason: "socket")) else {
            Issue.record("files that may not be opened are no fault of the peer")
            return
        }
        #expect(text.contains("socket"))
    }

    @Test func `has words for every cause`() {
        let causes: [TLSFailure.Cause] = [
            .alert(code: 46, name: "certificate_unknown"), .closed, .reset, .noSharedCipher,
            .noSharedVersion, .timeout, .notTLS, .verification(reason: "r"), .other("o"),
        ]
        for cause in causes {
            for leg in [TLSFailure.Leg.client, .server] {
                #expect(!TLSFailure(cause, on: leg).detail.isEmpty)
            }
        }
        for code in UInt8.min...UInt8.max { #expect(!TLSFailure.name(alert: code).isEmpty) }
    }

    /// Runs `body` with the authority's certificate in a file.
    func withAuthority(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let file = "\(directory)/roots.pem"
            try PrivateFile.write(Array(authority.pem.utf8), to: file, mode: 0o600, .replacing)
            try await body(file)
        }
    }
}

/// Makes closing `channel` send a reset, as killed programs and some phones do.
private func resetting(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let provider = channel as? any SocketOptionProvider else {
        return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    return provider.setSoLinger(linger(l_onoff: 1, l_linger: 0))
}

/// A server that hangs up on the first byte of its client.
private final class ClosesOnFirstByte: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
}

/// A client that has all it wants once TLS is up.
final class ClosesAfterHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension ClosesOnFirstByte: Sendable {}

@available(*, unavailable)
extension ClosesAfterHandshake: Sendable {}
