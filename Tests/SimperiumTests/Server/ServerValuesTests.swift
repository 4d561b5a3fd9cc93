import Simperium
import Testing

struct ServerValuesTests {
    @Test func `makes change versions like real ones, each once`() {
        var versions = ChangeVersions(seed: 7, listed: ["first"])
        #expect(versions.next() == "first")
        let made = (0..<10_000).map { _ in versions.next() }
        #expect(Set(made).count == made.count)
        #expect(made.allSatisfy { $0.utf8.count == 24 && $0.allSatisfy(\.isHexDigit) })
        var same = ChangeVersions(seed: 7)
        #expect(same.next() == made.first)
        // Seeds that are near each other give nothing in common.
        for seed in 8..<100 as Range<UInt64> {
            var other = ChangeVersions(seed: seed)
            #expect(other.next().suffix(10) != made[0].suffix(10))
        }
    }

    @Test(arguments: [
        ("a", true), ("a.b-c_d%20@e", true), ("", false), ("a b", false), ("a/b", false),
        ("a:b", false), ("a\nb", false), ("é", false), (String(repeating: "k", count: 256), true),
        (String(repeating: "k", count: 257), false),
    ])
    func `knows keys of objects`(text: String, isKey: Bool) {
        #expect(IdentifierGrammar.isKey(text) == isKey)
    }

    @Test func `knows other identifiers`() {
        #expect(IdentifierGrammar.isBucket(String(repeating: "b", count: 64)))
        #expect(!IdentifierGrammar.isBucket(String(repeating: "b", count: 65)))
        #expect(IdentifierGrammar.isBucket("a%20b") && !IdentifierGrammar.isBucket("a@b"))
        #expect(IdentifierGrammar.isApp("abusers-headset-123") && !IdentifierGrammar.isApp("a%b"))
        #expect(IdentifierGrammar.isToken(String(repeating: "a", count: 32)))
        #expect(!IdentifierGrammar.isToken(String(repeating: "a", count: 31)))
        #expect(!IdentifierGrammar.isToken(String(repeating: "a", count: 31) + "-"))
        #expect(!IdentifierGrammar.isToken(String(repeating: "a", count: 1025)))
        #expect(IdentifierGrammar.isChange("3a5cbd2f-0a71-fca4-933f-ff5a54d22b60"))
        #expect(!IdentifierGrammar.isChange("a\u{0}") && !IdentifierGrammar.isChange(""))
        #expect(!IdentifierGrammar.isChange(String(repeating: "a", count: 257)))
    }

    @Test func `gives each receiver its own message`() {
        let reply = ServerReply(
            .everyone([.init(SocketID(1), 0), .init(SocketID(2), 5)]), .indexStateRequest)
        #expect(
            reply.messages.map(\.message) == [
                SimperiumMessage(0, .indexStateRequest), SimperiumMessage(5, .indexStateRequest),
            ])
        #expect(reply.messages.map(\.session.rawValue) == [1, 2])
    }
}
