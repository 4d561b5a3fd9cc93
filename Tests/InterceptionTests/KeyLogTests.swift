import NIOCore
import NIOSSL
import Platform
import Testing

@testable import Interception

struct KeyLogTests {
    @Test func `appends lines to a file of its owner alone`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/keys.log"
            try KeyLog(path: path).append(ByteBuffer(string: "CLIENT_RANDOM a b"))
            try KeyLog(path: path).append(ByteBuffer(string: "CLIENT_RANDOM c d\n"))
            let text = String(
                decoding: try PrivateFile.read(path, secret: true) ?? [], as: UTF8.self)
            #expect(text == "CLIENT_RANDOM a b\nCLIENT_RANDOM c d\n")
        }
    }

    @Test func `keeps lines whole when many write`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/keys.log"
            let log = try KeyLog(path: path)
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        log.append(
                            ByteBuffer(
                                string: "SECRET " + String(repeating: "\(index % 10)", count: 200)))
                    }
                }
            }
            let text = String(
                decoding: try PrivateFile.read(path, secret: true) ?? [], as: UTF8.self)
            let lines = text.split(separator: "\n")
            #expect(lines.count == 100)
            for line in lines { #expect(Set(line.dropFirst(7)).count == 1 && line.count == 207) }
        }
    }

    @Test func `gets the secrets of a real handshake`() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/keys.log"
            let log = try KeyLog(path: path)
            let leaves = try LeafCache(
                authority: try CertificateAuthority.create(host: "box"), keyLog: log)
            let context = try leaves.context(for: "localhost")
            let trust = try ServerTrust(.insecure, keyLog: log)
            let reports = try await Loopback.run(
                server: {
                    try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                },
                client: {
                    try $0.pipeline.syncOperations.addHandler(trust.handler(for: "localhost"))
                    try $0.pipeline.syncOperations.addHandler(ClosesAfterHandshake())
                })
            #expect(reports.server.isUp)
            let text = String(
                decoding: try PrivateFile.read(path, secret: true) ?? [], as: UTF8.self)
            let clients = text.split(separator: "\n").filter {
                $0.hasPrefix("CLIENT_HANDSHAKE_TRAFFIC_SECRET ")
            }
            // Both legs write theirs, and it is the same secret.
            #expect(clients.count == 2)
            #expect(Set(clients).count == 1)
        }
    }

    @Test func `says when it cannot be opened`() {
        #expect(throws: InterceptionError(.storage, "")) { try KeyLog(path: "/proc/nowhere/log") }
    }
}
