import Notation
import Replaying
import Testing

@Suite struct ReplayIdentityTests {
    static let shapes = [
        "4f0a2c6e-1b3d-4e5f-8a9b-0c1d2e3f4a5b", "uuid:4F0A2C6E-1B3D-4E5F-8A9B-0C1D2E3F4A5B",
        "0123456789abcdef0123456789abcdef", "dev_0123456789abcdef01", "form 7", "x", "",
    ]

    @Test(arguments: shapes)
    func `makes up names that look like the recorded ones`(recorded: String) throws {
        var identity = ReplayIdentity(seed: 7)
        let live = identity.fresh(.instanceID, for: recorded)
        #expect(live != recorded)
        #expect(identity.fresh(.instanceID, for: recorded) == live)
        #expect(identity.recorded(.instanceID, live) == recorded)
        #expect(identity.live(.caseID, recorded) == nil)
        let hasDigits = recorded.count >= 16
        if hasDigits {
            #expect(live.count == recorded.count)
            #expect(live.contains("-") == recorded.contains("-"))
            #expect((live == live.lowercased()) == (recorded == recorded.lowercased()))
            let (one, other) = (recorded.map(\.isHexDigit), live.map(\.isHexDigit))
            #expect(one == other)
        } else {
            #expect(live.hasPrefix(recorded))
        }
    }

    @Test func `new names of cases sort as the recorded ones`() {
        var random = SplitMix64(seed: 9)
        var identity = ReplayIdentity(seed: 9)
        let names = (["a", "a1", "b"] + (0..<200).map { _ in random.name() }).sorted()
        let live = names.map { identity.fresh(.caseID, for: $0) }
        #expect(live == live.sorted())
        #expect(Set(live).count == names.count)
        #expect(Set(live).isDisjoint(with: names))
    }

    @Test func `repeats with its seed and differs with another`() {
        var names: [[String]] = []
        for seed: UInt64 in [3, 3, 4] {
            var identity = ReplayIdentity(seed: seed)
            names.append(Self.shapes.map { identity.fresh(.ccid, for: $0) })
        }
        #expect(names[0] == names[1])
        #expect(zip(names[0], names[2]).allSatisfy { $0 != $1 })
    }

    @Test func `changes nothing where it is verbatim`() {
        var identity = ReplayIdentity(seed: 1, isVerbatim: true)
        identity.bind(.token, recorded: "abcdefgh", live: "ijklmnop")
        #expect(identity.live(.token, "abcdefgh") == "abcdefgh")
        #expect(identity.fresh(.instanceID, for: "abcdefgh") == "abcdefgh")
        #expect(identity.translated(bytes("abcdefgh")) == nil)
    }

    static let texts: [(String, String)] = [
        ("token-0123456789abcdef", "T"), ("\"token-0123456789abcdef\".", "\"T\"."),
        ("token-0123456789abcdef_a.jpg", "T_a.jpg"), ("atoken-0123456789abcdef", ""),
        ("token-0123456789abcdef0", ""), ("<a>short</a>", "<a>S</a>"), ("short-er", ""),
        ("my.short", ""), ("short", "S"), ("shorter", ""), ("short short", "S S"),
        ("uuid:short", "uuid:S"), ("{brace}", "B"), ("brace", ""),
        ("<n1:username>ann</n1:username>", "<n1:username>bob</n1:username>"),
        ("{\"username\": \"ann\"}", "{\"username\": \"bob\"}"), ("<name>ann</name>", ""),
        ("username=ann&x", "username=bob&x"), ("the word username", ""), ("", ""),
    ]

    @Test(arguments: texts)
    func `puts live names where recorded ones are mentioned`(text: String, expected: String) {
        var identity = ReplayIdentity(seed: 1)
        identity.bind(.token, recorded: "token-0123456789abcdef", live: "T")
        identity.bind(.caseID, recorded: "short", live: "S")
        identity.bind(.deviceID, recorded: "{brace}", live: "B")
        identity.bind(.user, recorded: "ann", live: "bob")
        identity.bind(.version, recorded: "version-of-a-thing", live: "7")
        let result = identity.translated(bytes(text)).map(string)
        #expect(result == (expected.isEmpty ? nil : expected))
        #expect(identity.translated(text) == (expected.isEmpty ? text : expected))
    }

    @Test func `a name that is bound anew is the last one`() {
        var identity = ReplayIdentity(seed: 1)
        identity.bind(.syncToken, recorded: "sync-token-one", live: "first")
        identity.bind(.syncToken, recorded: "sync-token-one", live: "second")
        #expect(identity.translated("a sync-token-one b") == "a second b")
        identity.bind(.syncToken, recorded: "sync-token-one", live: "sync-token-one")
        #expect(identity.translated("a sync-token-one b") == "a sync-token-one b")
    }

    @Test(arguments: 0..<40)
    func `replaces all of many names wherever they stand`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var identity = ReplayIdentity(seed: UInt64(seed))
        let names = (0..<50).map { _ in random.name() }
        let live = names.map { identity.fresh(.caseID, for: $0) }
        var text = ""
        var expected = ""
        for _ in 0..<200 {
            let gap = [" ", "<", "\"", "/", "-", ": ", "\u{E9} ", "abc "][random.below(8)]
            let place = random.below(names.count)
            text += gap + names[place]
            expected += gap + live[place]
        }
        // Between two names something always stands that is neither a letter nor a digit.
        #expect(identity.translated(text) == expected)
    }
}
