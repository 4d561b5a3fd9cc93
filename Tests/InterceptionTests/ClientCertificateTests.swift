import Testing

@testable import Interception

@Suite struct ClientCertificateTests {
    @Test func `a file without a certificate or a key is named`() async throws {
        try await withTemporaryDirectory { directory in
            func read(_ name: String, _ bytes: [UInt8]?) throws -> ClientCertificate {
                let path = "\(directory)/\(name)"
                if let bytes { try PrivateFile.write(bytes, to: path, mode: 0o600, .replacing) }
                return try ClientCertificate(file: path, password: "x")
            }
            for (name, bytes) in [
                ("p12", Array("rubbish".utf8)),
                (
                    "pem",
                    Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
                ),
            ] {
                let damaged = #expect(throws: InterceptionError.self) { try read(name, bytes) }
                #expect(damaged?.code == .damaged)
                #expect(damaged?.reason.contains("/\(name) is no ") == true)
            }
            let missing = #expect(throws: InterceptionError.self) { try read("none", nil) }
            #expect(missing?.code == .storage)
        }
    }
}
