import Notation
import Simperium
import Testing
import Wire

struct SimperiumMessageTests {
    /// What is said about a value and not about its spelling.
    private static let ofValues: Set<SimperiumNote.Code> = [
        .dottedKey, .indexUnknownMark, .unknownCVAsChange, .authExpired, .options, .questionMark,
        .bareQuestionMark, .changeEmptiesBucket,
    ]

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what is encoded parses to the same value`(seed: UInt64) throws {
        var generator = MessageGenerator(seed: seed)
        for _ in 0..<50 {
            for sender in Peer.allCases {
                let message = generator.message(by: sender)
                let bytes = message.encoded(by: sender)
                let command = SimperiumCommand.parse(bytes, from: sender)
                let read = try #require(SimperiumMessage(command, in: bytes))
                #expect(read == message)
                // `==` of strings does not tell canonical equivalents apart, bytes do.
                #expect(read.encoded(by: sender) == bytes)
                #expect(String(validating: command.describedAsJSON(in: bytes).bytes()) != nil)
            }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what is encoded in order needs no tolerance`(seed: UInt64) throws {
        var generator = MessageGenerator(seed: seed, isTidy: true)
        for _ in 0..<50 {
            for sender in Peer.allCases {
                let message = generator.message(by: sender)
                let bytes = message.encoded(by: sender)
                let command = SimperiumCommand.parse(bytes, from: sender)
                #expect(SimperiumMessage(command, in: bytes) == message)
                let notes = command.notes.filter { !Self.ofValues.contains($0.code) }
                #expect(notes == [], "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test(
        arguments: [
            ("0:cv:abc", .client), ("h:0", .client), ("0:index", .server), ("0:e:a.b.3", .client),
            ("0:e:q.1\n{\"data\":{\"message\":\"hello\\nworld é/\"}}", .server),
            ("0:e:q.1\n?", .server), ("0:i:1:MARK::500", .client), ("0:i:?", .server),
            ("0:c:?", .server), ("0:cv:?", .server), ("0:c:[]", .server), ("log:2", .server),
            (#"log:{"log":"a","bucket":"b"}"#, .client), ("0:presence:{}", .client),
            ("0:x", .client), ("0:x:", .client), ("?", .server), ("0:?", .server),
            (#"0:o:{"expose_namespace":false,"namespace":"n"}"#, .server),
            ("0:auth:ender@example.com", .server), ("0:auth:expired", .server),
            (#"0:auth:{"msg":"Token invalid","code":401}"#, .server),
            (
                #"0:init:{"name":"n","clientid":"node-1","api":"1.1","token":"t","app_id":"a","#
                    + #""library":"node-simperium","version":"0.0.1","cmd":"i::::50"}"#, .client
            ),
            (
                #"0:i:{"current":"c","index":[{"id":"k","v":1,"d":{"a":1.0}}],"mark":"m"}"#,
                .server
            ),
            (
                #"0:c:{"id":"k","o":"M","v":{"t":{"o":"d","v":"=1\t+x"}},"ccid":"ab","sv":3}"#,
                .client
            ),
            (
                #"0:c:[{"clientid":"c","id":"k","o":"M","v":{"t":{"o":"+","v":1}},"ev":1,"#
                    + #""cv":"a1","ccids":["ab"]}]"#, .server
            ),
            (#"0:c:[{"ccids":["ab"],"id":"k","clientid":"c","error":440}]"#, .server),
            (
                #"0:index:{"current":"c","index":[{"id":"a","v":1}],"pending":"#
                    + #"[{"id":"a","sv":1,"ccid":"c"}],"extra":{"x":1}}"#, .client
            ),
            // Without `data` it is neither an entity nor the lack of one.
            ("0:e:q.1\n{\"a\":1}", .server),
        ] as [(String, Peer)])
    func `written as real clients and servers write it`(text: String, sender: Peer) throws {
        let message = try #require(SimperiumMessage(read(text, from: sender), in: Array(text.utf8)))
        #expect(String(decoding: message.encoded(by: sender), as: UTF8.self) == text)
    }

    @Test(
        arguments: [
            (
                #"c:[{"clientid":"o","id":"k","error":"401","ccids":["ab"]}]"#, .server,
                #"c:[{"ccids":["ab"],"id":"k","clientid":"o","error":401}]"#
            ),
            (
                #"0:init:{"client_id":"a","api":1.1}"#, .client,
                #"0:init:{"clientid":"a","api":"1.1"}"#
            ),
            (
                #"00:c:[{"id":"k","sv":"12","o":"-","ccid":"ab"}]"#, .client,
                #"0:c:{"id":"k","o":"-","ccid":"ab","sv":12}"#
            ),
            (#"0:c:{"id":"\u006b","ccid":"ab"}"#, .server, #"0:c:[{"id":"k","ccids":["ab"]}]"#),
            (
                #"0:index:{"current":7,"index":[{"k.1":4}],"pendings":[{}]}"#, .client,
                #"0:index:{"current":"7","index":[{"id":"k.1","v":4}],"pending":[{}]}"#
            ),
            (#"0:i:{"current":"","index":null}"#, .server, #"0:i:{"current":"","index":[]}"#),
            ("0:i:1", .client, "0:i:1:::"), ("0:cv", .client, "0:cv:"), ("h:007", .client, "h:7"),
        ] as [(String, Peer, String)])
    func `what was tolerated is written as it should have been`(
        text: String, sender: Peer, expected: String
    ) throws {
        let message = try #require(SimperiumMessage(read(text, from: sender), in: Array(text.utf8)))
        #expect(String(decoding: message.encoded(by: sender), as: UTF8.self) == expected)
    }

    @Test func `an unreadable command is no message`() {
        for text in ["", "0:c:{", "0:e:key.undefined", "h:x", "9223372036854775808:c:[]"] {
            #expect(SimperiumMessage(read(text, from: .client), in: Array(text.utf8)) == nil)
        }
        // Of another message.
        #expect(SimperiumMessage(read("0:c:{}", from: .client), in: []) == nil)
    }

    @Test func `what has no spelling reads as something else`() {
        let unspeakable: [(SimperiumMessage, Peer)] = [
            (SimperiumMessage(0, .entityRequest(key: "a\nb", version: 1)), .client),
            (SimperiumMessage(0, .entityRequest(key: "", version: 1)), .client),
            (SimperiumMessage(0, .entityRequest(key: "a", version: -1)), .client),
            (SimperiumMessage(0, .auth(.accepted("expired"))), .server),
            (SimperiumMessage(0, .auth(.accepted("{}"))), .server),
            (SimperiumMessage(nil, .heartbeat(-1)), .client),
            (SimperiumMessage(-1, .changesSince(cv: "")), .client),
            (SimperiumMessage(nil, .indexStateRequest), .server),
        ]
        for (message, sender) in unspeakable {
            let bytes = message.encoded(by: sender)
            #expect(
                SimperiumMessage(SimperiumCommand.parse(bytes, from: sender), in: bytes) != message)
        }
    }
}

extension String {
    fileprivate init?(validating bytes: [UInt8]) { self.init(validating: bytes, as: UTF8.self) }
}
