import Foundation
import Interception
import Testing

@testable import tapedeck

@Suite struct DoctorTests {
    private func examine(
        _ variables: [String: String], answers: Bool = true, files: Set<String> = []
    ) -> [String: Examination] {
        Dictionary(
            EnvironmentExaminations.all(
                variables, program: "/opt/t/tapedeck", isReadable: { files.contains($0) },
                answers: { _, _ in answers }
            ).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `finds nothing wrong in a plain environment`() {
        let found = examine(["HOME": "/h", "PATH": "/a:/b"], files: ["/b/tapedeck"])
        #expect(found.values.allSatisfy { $0.state == .ok && $0.advice == nil })
        #expect(found["PATH"]?.detail == "tapedeck is in /b")
    }

    @Test(
        arguments: [
            (["HOME": "relative"], "HOME", Examination.State.failed, "--ca-dir"),
            (["SSL_CERT_FILE": "/gone"], "certificates", .failed, "unset SSL_CERT_FILE"),
            (
                ["http_proxy": "http://127.0.0.1:9"], "proxy variables", .warning,
                "nothing listens at 127.0.0.1:9"
            ),
            (["HTTP_PROXY": "::not a url"], "proxy variables", .warning, "is no URL"),
            ([:], "PATH", .warning, "export PATH=\"/opt/t:"),
        ] as [([String: String], String, Examination.State, String)])
    func `says what to do`(
        variables: [String: String], name: String, state: Examination.State, advice: String
    ) {
        let found = examine(variables, answers: false)[name]
        #expect(found?.state == state && found?.advice?.contains(advice) == true, "\(found as Any)")
    }

    @Test func `notices variables that programs read in different ways, and hides passwords`() {
        let proxy = "http://me:secret@127.0.0.1:8080"
        let one = examine(["http_proxy": proxy])["proxy variables"]
        #expect(one?.advice?.contains("http_proxy and HTTP_PROXY differ") == true)
        #expect(one?.detail.contains("secret") == false)
        var all = Dictionary(
            CommandEnvironment.proxies.map { ($0, proxy) }, uniquingKeysWith: { $1 })
        #expect(examine(all)["proxy variables"]?.state == .ok)
        all["NO_PROXY"] = "localhost"
        #expect(examine(all)["proxy variables"]?.advice?.contains("unset it") == true)
    }

    @Test func `examines the authority`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("doctor-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let now = Int64(Date().timeIntervalSince1970)
        func first(_ now: Int64) -> Examination? {
            MachineExaminations.authority(directory: folder, nowSeconds: now).first
        }
        #expect(first(now)?.state == .warning)
        let authority = try CertificateAuthority.open(directory: folder, createIfMissing: true)
        #expect(first(now)?.state == .ok)
        #expect(first(authority.validUntilSeconds - 86_400)?.detail.contains("1 days") == true)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(folder)/\(CertificateAuthority.keyFile)")
        let exposed = first(now)
        #expect(exposed?.state == .failed && exposed?.advice?.hasPrefix("chmod 600 ") == true)
    }

    @Test func `prints a line and an object`() {
        let bad = Examination.failed("disk", "full\u{1B}[31m", "make room")
        #expect(
            bad.text(width: 6, hasColour: false)
                == "failed   disk    full\u{FFFD}[31m\n                 make room\n")
        #expect(
            Examination.ok("disk", "free").json
                == #"{"name":"disk","state":"ok","detail":"free","advice":null}"#)
    }
}
