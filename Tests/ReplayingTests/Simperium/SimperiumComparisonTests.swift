import Replaying
import Testing

struct SimperiumComparisonTests {
    @Test(
        arguments: [
            ("0:auth:a", "5:auth:a", []),
            ("h:1", "h:7", []),
            (
                #"0:c:[{"id":"k","ev":1,"cv":"a","ccids":["x"],"clientid":"c"}]"#,
                #"1:c:[{"clientid":"d","id":"k","ev":2,"cv":"b","ccids":["y"]}]"#,
                ["JSON /0/ev: recorded 1, received 2"]
            ),
            (
                #"0:c:[{"ev":1}]"#, #"0:c:[{"error":409}]"#,
                [
                    "JSON /0/ev: recorded 1, not received",
                    "JSON /0/error: not recorded, received 409",
                ]
            ),
            (
                #"0:i:{"current":"a","index":[],"mark":"b"}"#, #"0:i:{"current":"c","index":[]}"#,
                ["JSON /mark: recorded \"*\", not received"]
            ),
            ("0:cv:?", "0:c:[]", ["command: recorded cv, received c"]),
            (
                "0:e:k.1\n?", "0:e:l.2\n{}",
                [
                    "key: recorded \"k\", received \"l\"", "version: recorded 1, received 2",
                    "body: recorded 1 bytes, received JSON, {}",
                ]
            ),
            ("0:e:rec.1\n{\"data\":{\"r\":\"rec\"}}", "0:e:liv.1\n{\"data\":{\"r\":\"liv\"}}", []),
        ] as [(String, String, [String])])
    func `commands of servers`(recorded: String, live: String, expected: [String]) {
        let found = SimperiumComparison.differences(
            recorded: bytes(recorded), live: bytes(live), keys: ["rec": "liv"])
        #expect(found.items.map(\.description) == expected)
    }
}
