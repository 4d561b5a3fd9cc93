import Foundation
import Platform
import Testing

@testable import HTTPLayer

extension HTTPManagerTests {
    /// A server of OpenSSL with a certificate of its own.
    private final class SecureServer {
        let certificate: String
        let port: Int
        private let directory: String
        private let process = Process()

        init() throws {
            directory = HTTPManagerTests.temporaryPath()
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: false)
            certificate = directory + "/certificate.pem"
            let key = directory + "/key.pem"
            let make = Process()
            make.executableURL = URL(filePath: "/usr/bin/env")
            make.arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ]
            make.standardError = FileHandle.nullDevice
            try make.run()
            make.waitUntilExit()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key,
                "-www",
            ]
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            // It says "ACCEPT 127.0.0.1:PORT" once it accepts connections.
            var reported = ""
            while !reported.contains("ACCEPT ") || !reported.hasSuffix("\n") {
                let piece = output.fileHandleForReading.availableData
                guard !piece.isEmpty else { break }
                reported += String(decoding: piece, as: UTF8.self)
            }
            let line = reported.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") } ?? ""
            port = try #require(Int(line.split(separator: ":").last ?? ""))
        }

        func stop() {
            // It inherits the signals that threads of tests block: SIGTERM may not reach it.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    @Test func `trusts the authority it is given, and no other`() async throws {
        let server = try SecureServer()
        defer { server.stop() }
        let request = try Self.get("https://127.0.0.1:\(server.port)/", retryCount: 2)
        let trusting = Self.manager { $0.caFile = server.certificate }
        let response = await trusting.response(to: request)
        #expect(response.isSuccess, "\(String(describing: response.error))")
        let refused = await Self.manager().response(to: request)
        guard case .tls = refused.error else {
            return #expect(Bool(false), "\(String(describing: refused.error))")
        }
        #expect(refused.attempts == 1)
    }

    @Test func `trusts the authority of SSL_CERT_FILE`() async throws {
        await #expect(processExitsWith: .success) {
            let server = try SecureServer()
            defer { server.stop() }
            setenv("SSL_CERT_FILE", server.certificate, 1)
            var request = try Request(url: "127.0.0.1:\(server.port)/")
            request.requestType = .get
            // A url without a scheme means https.
            let response = await HTTPManagerTests.manager().response(to: request)
            #expect(response.isSuccess, "\(String(describing: response.error))")
        }
    }
}
