import Testing
import Wire

@testable import OpenRosa

@Suite struct CaseStateHashTests {
    @Test(
        arguments: [
            ([], ""), (["abc123", "123abc"], "409c5c597fa2c2a693b769f0d2ad432b"),
            (["123abc", "abc123"], "409c5c597fa2c2a693b769f0d2ad432b"),
            ([""], "d41d8cd98f00b204e9800998ecf8427e"),
            (["a", "a"], "00000000000000000000000000000000"),
            (["abc123", "b", "123abc", "b"], "409c5c597fa2c2a693b769f0d2ad432b"),
            (["message digest"], "f96b697d7cb7938d525a2f31aaf161d0"),
            (["\u{E9}"], "66ddcd97cfdeabb2f6fb8a999b4bc76f"),
        ] as [([String], String)])
    func `is the XOR of the MD5 of the identifiers`(ids: [String], digits: String) throws {
        let hash = CaseStateHash(caseIDs: ids)
        #expect(hash.description == "ccsh:" + digits)
        #expect(try CaseStateHash(parsing: hash.description) == hash)
    }

    @Test func `takes the prefix and the digits in either case`() throws {
        let hash = try CaseStateHash(parsing: "CcSh:409C5C597FA2C2A693B769F0D2AD432B")
        #expect(hash == CaseStateHash(caseIDs: ["abc123", "123abc"]))
    }

    @Test(
        arguments: [
            ("", .missingPrefix), ("ccsh", .missingPrefix),
            ("409c5c597fa2c2a693b769f0d2ad432b", .missingPrefix), ("ccsh:1", .wrongLength(1)),
            ("ccsh:409c5c597fa2c2a693b769f0d2ad432b0", .wrongLength(33)),
            ("ccsh:409c5c597fa2c2a693b769f0d2ad432g", .notHexadecimal),
            ("ccsh:409c5c597fa2c2a693b769f0d2ad432\u{E9}", .wrongLength(33)),
            ("ccsh:409c5c597fa2c2a693b769f0d2ad43\u{E9}", .notHexadecimal),
            ("cc\u{13}h:409c5c597fa2c2a693b769f0d2ad432b", .missingPrefix),
        ] as [(String, CaseStateHash.Problem)])
    func `refuses`(text: String, problem: CaseStateHash.Problem) {
        #expect(throws: problem) { try CaseStateHash(parsing: text) }
    }

    @Test func `reads the two hashes of a 412`() throws {
        let text =
            "Phone state hash mismatch. Server hash: ccsh:409c5c597fa2c2a693b769f0d2ad432b, "
            + "Phone hash: ccsh:d41d8cd98f00b204e9800998ecf8427e. # of cases: [12]"
        let mismatch = try #require(CaseStateMismatch(parsing: text))
        #expect(mismatch.server == CaseStateHash(caseIDs: ["abc123", "123abc"]))
        #expect(mismatch.device == CaseStateHash(caseIDs: [""]))
        #expect(mismatch.cases == 12)
        let empty = CaseStateMismatch(parsing: "server HASH: ccsh:\nPhone hash: ccsh:")
        #expect(
            empty
                == CaseStateMismatch(
                    server: CaseStateHash(digest: nil), device: CaseStateHash(digest: nil)))
    }

    @Test(
        arguments: [
            "", "Server hash: ccsh:", "Phone hash: ccsh:", "Server hash: x Phone hash: ccsh:",
            "Server hash: ccsh:12 Phone hash: ccsh:",
        ])
    func `finds no hashes`(text: String) {
        #expect(CaseStateMismatch(parsing: text) == nil)
    }
}
