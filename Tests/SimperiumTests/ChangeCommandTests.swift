import Notation
import Simperium
import Testing
import Wire

struct ChangeCommandTests {
    private func changes(_ command: SimperiumCommand) throws -> [SimperiumChange<Range<Int>>] {
        guard case .changes(let changes) = command.body else { throw Unexpected() }
        return changes
    }

    @Test func `the specification's example`() throws {
        let text =
            #"0:c:[{"clientid": "sjs-2012121301-9af05b4e9a95132f614c", "id": "newobject", "#
            + #""o": "M", "v": {"new": {"o": "+", "v": "object"}}, "ev": 1, "#
            + #""cv": "511aa58737a401031d57db90", "ccids": ["3a5cbd2f0a71fca4933fff5a54d22b60"]}]"#
        let command = read(text, from: .server)
        let change = try #require(try changes(command).first)
        #expect(change.range == 5..<text.utf8.count - 1)
        #expect(change.key == "newobject")
        #expect(command.key == "newobject")
        #expect(change.operation == .modify)
        #expect(change.sv == nil)
        #expect(change.ev == 1)
        #expect(change.cv == "511aa58737a401031d57db90")
        #expect(command.cv == change.cv)
        #expect(change.ccids == ["3a5cbd2f0a71fca4933fff5a54d22b60"])
        #expect(change.clientID == "sjs-2012121301-9af05b4e9a95132f614c")
        #expect(change.error == nil)
        #expect(slice(text, change.value) == #"{"new": {"o": "+", "v": "object"}}"#)
        #expect(change.data == nil)
        #expect(command.notes == [])
    }

    @Test func `the specification's error, without channel and with a string`() throws {
        let command = read(
            #"c:[{"clientid":"offending-client","id":"object-key","error":"401","ccids":["abcdef"]}]"#,
            from: .server)
        let change = try #require(try changes(command).first)
        #expect(change.error == 401)
        #expect(command.error == 401)
        #expect(change.operation == nil)
        #expect(command.reported == ["no-channel", "error-as-string"])
    }

    @Test func `the error of real servers`() throws {
        let command = read(
            #"0:c:[{"ccids":["ab"],"id":"k","clientid":"c","error":440}]"#, from: .server)
        #expect(try changes(command).map(\.error) == [440])
        #expect(command.notes == [])
    }

    @Test func `an empty array says that nothing changed`() throws {
        let command = read("0:c:[]", from: .server)
        #expect(try changes(command).isEmpty)
        #expect(command.notes == [])
        #expect(command.key == nil)
        #expect(command.cv == nil)
    }

    @Test(
        arguments: [
            (#"{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"ab"}"#, .client, []),
            (#"{"id":"k","o":"M","v":{"t":{"o":"r","v":1}},"sv":3,"ccid":"ab"}"#, .client, []),
            (
                #"{"id":"k","o":"M","v":{"t":{"o":"r","v":1}},"sv":"12","ccid":"ab"}"#, .client,
                ["version-as-string/sv"]
            ),
            (
                #"{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"sv":1.5,"ccid":"ab"}"#, .client,
                ["version-unreadable/sv"]
            ),
            (#"{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"sv":null,"ccid":"ab"}"#, .client, []),
            (#"{"id":"k","o":"-","ccid":"ab"}"#, .client, []),
            (#"{"id":"note","o":"EMPTY","ccid":"ab"}"#, .client, ["change-empties-bucket"]),
            (#"{"id":"k","o":"M","d":{},"ccid":"ab"}"#, .client, []),
            (#"{"id":"k","o":"M","ccid":"ab"}"#, .client, ["change-missing/v"]),
            (#"{"id":"k","o":"DROP","ccid":"ab"}"#, .client, ["change-operation"]),
            (
                #"{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"ab","clientid":"go"}"#,
                .client,
                ["client-id-in-change"]
            ),
            (
                #"{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"ccids":["ab"]}"#, .client,
                ["ccids-from-client"]
            ),
            (
                #"[{"id":"k","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"ab"}]"#, .client,
                ["change-array-from-client"]
            ),
            ("{}", .client, ["change-missing/id", "change-missing/ccid", "change-missing/o"]),
            (
                #"{"id":7,"o":"M","v":{"t":{"o":"+","v":1}},"ccid":"ab"}"#, .client,
                ["number-as-text/id"]
            ),
            (
                #"{"id":"k","id":"l","o":"M","v":{"t":{"o":"+","v":1}},"ccid":"ab"}"#, .client,
                ["duplicate-key/id"]
            ),
            (
                #"{"clientid":"c","id":"k","o":"-","ev":2,"cv":"a","ccids":["ab"]}"#, .server,
                ["change-object-from-server"]
            ),
            (#"[{"clientid":"c","id":"k","o":"-","ev":2,"cv":"a","ccids":["ab"]}]"#, .server, []),
            (
                #"[{"clientid":"c","id":"k","o":"-","ev":2,"cv":"a","ccid":"ab"}]"#, .server,
                ["ccid-from-server"]
            ),
            (
                #"[{"id":"k","o":"M","v":{"t":{"o":"r","v":1}},"ccids":["ab"]}]"#, .server,
                [
                    "change-missing/clientid", "change-missing/cv", "change-missing/ev",
                    "change-without-sv",
                ]
            ),
            (
                #"[{"client_id":"c","id":"k","o":"-","ev":"2","cv":5,"ccids":["ab"]}]"#, .server,
                ["client-id-spelling", "version-as-string/ev", "number-as-text/cv"]
            ),
            ("[1,null,[]]", .server, ["change-not-an-object"]),
            (#"[{"id":"k","ccids":["ab"],"error":true}]"#, .server, ["error-unreadable"]),
            (
                #"[{"clientid":"c","id":"k","o":"-","ev":2,"cv":"a","ccids":[]}]"#, .server,
                ["change-missing/ccids"]
            ),
        ] as [(String, Peer, [String])])
    func `tolerances`(payload: String, sender: Peer, notes: [String]) throws {
        let command = read("0:c:\(payload)", from: sender)
        #expect(command.problem == nil)
        #expect(command.reported == notes)
        #expect(try !changes(command).isEmpty)
    }

    @Test func `fields of odd changes`() throws {
        let merged = try changes(
            read(
                #"0:c:[{"clientid":"c","id":"k","o":"M","v":{"t":{"o":"r","v":1}},"sv":3,"ev":6,"cv":"a","#
                    + #""ccids":["a","b","c"]}]"#, from: .server))[0]
        #expect(merged.ccids == ["a", "b", "c"])
        #expect(merged.sv == 3)
        #expect(merged.ev == 6)
        let text = #"2:c:{"id":"k","sv":"12","o":"EMPTY","ccid":"ab","d":{"a":1}}"#
        let odd = try changes(read(text, from: .client))[0]
        #expect(odd.sv == 12)
        #expect(odd.operation == .empty)
        #expect(slice(text, odd.data) == #"{"a":1}"#)
        #expect(ChangeOperation("DROP").text == "DROP")
    }

    @Test func `many changes take linear time and their notes no room`() throws {
        let count = 100_000
        let text = "0:c:[" + repeatElement("{\"id\":1}", count: count).joined(separator: ",") + "]"
        let command = read(text, from: .server)
        #expect(try changes(command).count == count)
        #expect(command.notes.count < 10)
        let tooMany = SimperiumCommand.maxElements
        let more = "0:c:[" + repeatElement("{}", count: tooMany + 1).joined(separator: ",") + "]"
        #expect(
            read(more, from: .server).problem
                == .tooManyElements(limit: tooMany, offset: 5 + 3 * tooMany))
    }

    @Test func `depth is an error and not a crash`() {
        let deep = "0:c:" + String(repeating: "[", count: 1_000_000)
        #expect(read(deep, from: .server).problem == .json(.tooDeep(limit: 512, offset: 516)))
    }

    @Test(arguments: [("+a\\t+b", []), ("+a\\t+", ["delta-unusual"])] as [(String, [String])])
    func `notes an insertion of nothing`(delta: String, reported: [String]) {
        let text =
            #"0:c:{"id":"k","o":"M","v":{"t":{"o":"d","v":"\#(delta)"}},"sv":1,"ccid":"ab"}"#
        #expect(read(text, from: .client).reported == reported)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `anything gives a command with ranges inside of the message`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let seeds = [
            #"0:c:[{"clientid":"c","id":"k","o":"M","v":{"t":{"o":"d","v":"=1\t+x"}},"sv":1,"ev":2}]"#,
            #"0:init:{"name":"n","clientid":"c","api":"1.1","cmd":"i::::50"}"#,
            #"0:i:{"current":"a","index":[{"id":"k","v":1,"d":{}}],"mark":"m"}"#,
            "0:e:a.b.1\n{\"data\":{\"é\":\"😀\"}}", "0:i:1:m::10", "h:12", "log:{\"log\":\"x\"}",
            #"0:index:{"index":[{"k":1}],"pendings":[{}],"extra":1}"#, "0:auth:{\"code\":401}",
        ]
        for _ in 0..<50 {
            var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(contentsOf: bytes[..<place], at: place)
                }
            }
            for sender in Peer.allCases {
                let command = SimperiumCommand.parse(bytes, from: sender)
                #expect(command.payload.upperBound <= bytes.count)
                #expect((command.problem?.offset ?? 0) <= bytes.count)
                #expect(command.notes.allSatisfy { $0.offset <= bytes.count })
                #expect((command.body == nil) == (command.problem != nil))
                var ledger = Ledger()
                ledger.see(command, in: bytes)
                guard case .changes(let changes) = command.body else { continue }
                for change in changes {
                    _ = ChangeDescription.describe(change, in: bytes, base: nil)
                    #expect((change.value?.upperBound ?? 0) <= bytes.count)
                }
            }
        }
    }
}
