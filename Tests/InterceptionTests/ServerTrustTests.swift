import Testing

@testable import Interception

struct ServerTrustTests {
    @Test func `says which file of authorities is no good`() async throws {
        try await withTemporaryDirectory { directory in
            let rubbish = "\(directory)/rubbish.pem"
            try PrivateFile.write(Array("rubbish".utf8), to: rubbish, mode: 0o600, .replacing)
            let damaged = #expect(throws: InterceptionError.self) {
                try ServerTrust(.full(additionalRoots: [rubbish]))
            }
            #expect(damaged?.code == .damaged)
            #expect(damaged?.reason.contains(rubbish) == true)
            let missing = #expect(throws: InterceptionError.self) {
                try ServerTrust(.full(additionalRoots: ["\(directory)/none.pem"]))
            }
            #expect(missing?.code == .storage)
        }
    }

    @Test func `refuses a host it cannot name`() throws {
        let trust = try ServerTrust(.insecure)
        #expect(throws: InterceptionError(.badHost, "")) { try trust.handler(for: "a b") }
        _ = try trust.handler(for: "::1")
        _ = try trust.handler(for: "a.example")
    }
}
