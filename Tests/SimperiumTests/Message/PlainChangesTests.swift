import Notation
import Simperium
import Testing
import Wire

/// What is read in one pass is what the way that notes oddities reads.
struct PlainChangesTests {
    /// A change as libraries and servers write it, odd now and then.
    private static func change(by sender: Peer, _ random: inout SplitMix64) -> String {
        // The first of each list is what is nearly always there.
        let isTidy = Int.random(in: 0..<2, using: &random) == 0
        func one(of texts: [String]) -> String {
            isTidy ? texts[0] : texts.randomElement(using: &random) ?? ""
        }
        func chance(_ most: Int) -> Bool { Int.random(in: 0..<most, using: &random) == 0 }
        func space() -> String { chance(3) ? one(of: [" ", "\n", "\t ", ""]) : "" }
        func operation(_ depth: Int) -> String {
            let value = one(of: [
                "1", "-2.5e3", "true", "null", #""text é \n""#, #"{"a":[1,{}]}"#, "[]", "01",
            ])
            let kind = Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random)
            switch isTidy && kind == 6 ? 1 : kind {
            case 0: return #"{"o":\#(space())"+","v":\#(value)}"#
            case 1: return #"{"o":"r",\#(space())"v":\#(value)\#(space())}"#
            case 2: return one(of: [#"{"o":"-"}"#, #"{"o":"-","v":1}"#])
            case 3: return #"{"o":"I","v":\#(one(of: ["1", "-1.5", "\"1\""]))}"#
            case 4, 5:
                let delta = one(of: [
                    #"=3\t+new%20text\t-2"#, #"=1\t+é"#, #"+a b\t=2"#, "=x", #"=1\u0009-1"#, "",
                ])
                return #"{"o":"d","v":"\#(delta)"}"#
            case 6: return one(of: [#"{"v":1,"o":"+"}"#, #"{"o":"z","v":1}"#, "{}", "1"])
            case 7: return #"{"o":"O","v":\#(operations(depth - 1))}"#
            default: return #"{"o":"L","v":{"\#(one(of: ["0", "12", "x"]))":\#(operation(0))}}"#
            }
        }
        func operations(_ depth: Int) -> String {
            let members = (0..<Int.random(in: isTidy ? 1...3 : 0...3, using: &random)).map {
                let name = one(of: ["title", "é", #"a\"b"#, "k"])
                return #""\#(name)\#($0)"\#(space()):\#(operation(depth))"#
            }
            return "{" + members.joined(separator: ",\(space())") + "}"
        }
        var members = [
            #""id":"\#(one(of: ["note-1", "a.b@c%20", "key", "é", ""]))""#,
            #""o":"\#(one(of: ["M", "M", "M", "M", "-", "EMPTY"]))""#,
        ]
        if isTidy || !chance(5) { members.append(#""v":\#(space())\#(operations(2))"#) }
        if isTidy || !chance(3) {
            members.append(#""sv":\#(one(of: ["1", "3", "0", "1.0", "null", "07"]))"#)
        }
        if !isTidy, chance(8) {
            let data = one(of: ["{}", #"{"a":1}"#, #"{"version":1,"data":{}}"#, "[]"])
            members.append(#""d":\#(data)"#)
        }
        if sender == .client {
            members.append(#""ccid":"\#(one(of: ["ab12-cd", "0123456789abcdef", "xyz"]))""#)
            if chance(3) { members.append(#""clientid":"\#(one(of: ["go-1", "", "ü", "a\tb"]))""#) }
        } else {
            members += [
                #""ev":\#(one(of: ["4", "5", "2"]))"#, #""cv":"\#(one(of: ["5f2a", "é"]))""#,
                #""ccids":[\#(space())"ab12-cd"\#(chance(3) ? #","ef""# : "")]"#,
                #""clientid":"\#(one(of: ["sjs-2012121301-9af05b4e9a95132f614c", "", "ü"]))""#,
            ]
            if !isTidy, chance(6) {
                members.append(#""error":\#(one(of: ["440", "\"440\"", "7", "503"]))"#)
            }
        }
        if !isTidy, chance(6) {
            members.append(one(of: [#""x":1"#, #""id":"k""#, #""ccid":"ab""#]))
        }
        if chance(3) { members.shuffle(using: &random) }
        if !isTidy, chance(8) { members.removeLast() }
        return "{" + members.joined(separator: ",\(space())") + "}"
    }

    private static func message(by sender: Peer, _ random: inout SplitMix64) -> [UInt8] {
        let start = ["0:c:", "12:c:", "01:c:", "c:"][
            max(0, Int.random(in: 0..<24, using: &random) - 20)]
        let changes = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            change(by: sender, &random)
        }
        let text =
            sender == .client
            ? changes.first ?? "{}" : "[" + changes.joined(separator: ", ") + "]"
        var bytes = Array((start + text).utf8)
        guard Int.random(in: 0..<3, using: &random) == 0 else { return bytes }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let damage = Array("{}[]:,\"\\0eE.-+ \nux\tM".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0x1F]
        let byte = damage.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = byte
        case 1: bytes.remove(at: place)
        case 2: bytes.removeSubrange(place...)
        default: bytes.insert(byte, at: place)
        }
        return bytes
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `one pass and the other way give the same commands`(block: UInt64) {
        var random = SplitMix64(seed: block)
        var (withoutNotes, naming) = (0, 0)
        for _ in 0..<500 {
            for sender in Peer.allCases {
                let bytes = Self.message(by: sender, &random)
                let command = SimperiumCommand.parse(bytes, from: sender)
                let other = SimperiumCommand.parseNoting(bytes, from: sender)
                #expect(command == other, "\(String(decoding: bytes, as: UTF8.self))")
                if command.body != nil, command.notes.isEmpty { withoutNotes += 1 }
                if command.notes.map(\.code) == [.clientIDInChange] { naming += 1 }
            }
        }
        // Otherwise nothing was compared.
        #expect(withoutNotes > 100)
        #expect(naming > 20)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `messages of every kind are read the same`(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var generator = MessageGenerator(seed: seed, isTidy: seed % 2 == 0)
            for sender in Peer.allCases {
                let bytes = generator.message(by: sender).encoded(by: sender)
                let command = SimperiumCommand.parse(bytes, from: sender)
                #expect(command == SimperiumCommand.parseNoting(bytes, from: sender), "\(seed)")
            }
        }
    }
}
