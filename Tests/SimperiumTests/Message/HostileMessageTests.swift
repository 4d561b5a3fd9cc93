import Notation
import Simperium
import Testing
import Wire

struct HostileMessageTests {
    private static let million = String(repeating: "a", count: 1 << 20)
    private static let deep =
        String(repeating: "{\"o\":\"O\",\"v\":{\"k\":", count: 300)
        + "1" + String(repeating: "}}", count: 300)

    @Test(
        arguments: [
            (
                "0:c:" + String(repeating: "{\"v\":", count: 100_000),
                .json(.tooDeep(limit: 512, offset: 2564))
            ),
            ("0:c:{\"v\":" + deep + "}", .json(.tooDeep(limit: 512, offset: 4612))),
            ("0:" + million, .notACommand(offset: 0)), (million, .notACommand(offset: 0)),
            (String(repeating: "9", count: 1 << 20) + ":h:1", .channelTooLarge(offset: 0)),
            ("h:" + String(repeating: "9", count: 1 << 20), .heartbeat(offset: 2)),
            ("0:e:" + million, .entityKey(offset: 4)),
            ("0:e:k." + String(repeating: "9", count: 1 << 20), .entityVersion(offset: 6)),
            ("log:" + million, .logLevel(offset: 4)),
        ] as [(String, SimperiumError)])
    func `gives a typed error`(text: String, problem: SimperiumError) {
        for sender in Peer.allCases {
            let command = read(text, from: sender)
            #expect(command.problem == problem)
            #expect(SimperiumMessage(command, in: Array(text.utf8)) == nil)
            _ = command.describedAsJSON(in: Array(text.utf8))
        }
    }

    @Test func `long and odd values are read`() throws {
        let long = read("0:cv:" + Self.million, from: .client)
        #expect(long.body == .changesSince(cv: Self.million))
        #expect(
            read("0:auth:" + Self.million, from: .server).body == .auth(.accepted(Self.million)))
        let digits = String(repeating: "9", count: 100_000)
        let text =
            "0:c:{\"id\":\"k\",\"sv\":\(digits),\"ccid\":\"ab\",\"v\":{\"n\":{\"o\":\"+\",\"v\":1e\(digits)}}}"
        let huge = read(text, from: .client)
        #expect(huge.reported == ["version-unreadable/sv", "change-missing/o"])
        let message = try #require(SimperiumMessage(huge, in: Array(text.utf8)))
        guard case .changes(let changes) = message.body else { throw Unexpected() }
        #expect(changes[0].value?["n"]?["v"] == .number("1e\(digits)"))
    }

    @Test func `half of a surrogate pair is U+FFFD and noted`() throws {
        let text =
            #"0:c:{"id":"\ud800","ccid":"\udc00a","o":"M","v":{"\ud83d":{"o":"+","v":"\udead"}}}"#
        let command = read(text, from: .client)
        #expect(
            command.reported == [
                "lone-surrogate/id", "key-characters", "lone-surrogate/ccid", "ccid-characters",
            ]
                || command.reported == [
                    "lone-surrogate/id", "key-characters", "ccid-characters", "lone-surrogate/ccid",
                ])
        let message = try #require(SimperiumMessage(command, in: Array(text.utf8)))
        let encoded = message.encoded(by: .client)
        #expect(
            SimperiumMessage(SimperiumCommand.parse(encoded, from: .client), in: encoded) == message
        )
    }

    @Test(
        arguments: [
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0x80],
        ] as [[UInt8]])
    func `text that is not UTF-8 is refused`(bytes: [UInt8]) {
        for (start, end) in [
            ("0:c:{\"id\":\"", "\"}"), ("0:cv:", ""), ("0:auth:", ""), ("0:e:k", ".1"),
        ] {
            let message = Array(start.utf8) + bytes + Array(end.utf8)
            let command = SimperiumCommand.parse(
                message, from: start == "0:auth:" ? .server : .client)
            #expect(command.body == nil)
            #expect(command.problem != nil)
            _ = command.describedAsJSON(in: message)
        }
    }
}
