import ConvergenceWorld
import Notation
import Simperium
import Testing
import Wire

struct ServerBucketPropertyTests {
    /// Data by key, and the version of each.
    typealias State = [String: (version: Int64, data: JSONValue)]

    /// What changes make of a state, as a client has it; nil where one does not fit.
    static func replay(_ changes: [SimperiumChange<JSONValue>], on state: State) -> State? {
        var state = state
        for change in changes {
            if change.operation == .empty {
                state = [:]
                continue
            }
            guard let key = change.key, let ev = change.ev else { return nil }
            guard state[key]?.version == change.sv else { return nil }
            if change.operation == .remove {
                state[key] = nil
                continue
            }
            guard let value = change.value,
                let data = try? JSONDiff.apply(
                    value, to: state[key]?.data ?? .object(JSONObject()))
            else { return nil }
            state[key] = (ev, data)
        }
        return state
    }

    static func state(_ bucket: ServerBucket) -> State {
        var state: State = [:]
        for object in bucket.contents {
            if let data = object.data { state[object.key] = (object.number, data) }
        }
        return state
    }

    static func isSame(_ a: State?, _ b: State) -> Bool {
        guard let a, a.count == b.count else { return false }
        return a.allSatisfy { key, object in
            b[key].map { $0.version == object.version && $0.data.isSame(as: object.data) } ?? false
        }
    }

    static let letters = ["a", "b", " ", "é", "😀", "🙌", "%", "+", "\n", "ü"]

    static func randomText(_ random: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...12, using: &random))
            .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }

    static func edited(_ data: JSONValue, _ random: inout SplitMix64) -> JSONValue {
        guard case .object(var object) = data else { return data }
        let key = ["t", "n", "l", "o", "z"].randomElement(using: &random) ?? "t"
        object.members.removeAll { $0.key.string == key }
        let value: JSONValue? =
            switch key {
            case "t": .string((data["t"]?.string ?? "") + randomText(&random))
            case "n": .number(String(Int.random(in: 0...9, using: &random)))
            case "l": .array([.string(randomText(&random)), .null])
            case "o": .object(JSONObject([.init(randomText(&random), .bool(true))]))
            default: nil
            }
        if let value { object.members.append(.init(key, value)) }
        return .object(object)
    }

    @Test(
        arguments: [BucketOptions.Aggregation.none, .answers, .older], ProcessEnvironment.seeds(40))
    func `leads from any change version it knows to where it is`(
        aggregation: BucketOptions.Aggregation, seed: UInt64
    ) {
        var random = SplitMix64(seed: seed)
        var options = BucketOptions()
        options.aggregation = aggregation
        options.loggedChanges = 30
        options.newestVersions = 6
        options.tenthVersions = 3
        options.rebaseSteps = 3
        var bucket = ServerBucket(
            name: "b", options: options, versions: ChangeVersions(seed: seed))
        var past: [String: State] = [bucket.cv: [:]]
        var accepted = 0
        var rebased = 0
        for step in 0..<150 {
            let key = "k\(Int.random(in: 0..<4, using: &random))"
            let history = bucket.history(of: key)
            var change = SimperiumChange<JSONValue>(key: key, ccids: ["\(step)"])
            switch Int.random(in: 0..<20, using: &random) {
            case 0: change.operation = .remove
            case 1 where step % 7 == 0:
                change.operation = .empty
                change.key = "b"
            default:
                change.operation = .modify
                let base = history?.versions.randomElement(using: &random)
                let start = base?.data ?? .object(JSONObject())
                let new = Self.edited(start, &random)
                change.sv = history?.isRemoved == false ? base?.number : nil
                if Bool.random(using: &random) {
                    change.data = new
                } else {
                    change.value = try? JSONDiff.diff(start, new)
                }
            }
            let client = "c\(Int.random(in: 0..<3, using: &random))"
            let outcome = bucket.receive(change, from: ChangeAuthor(clientID: client))
            if case .accepted(let reported) = outcome {
                accepted += 1
                if let sv = reported.sv, reported.operation == .modify, sv != change.sv {
                    rebased += 1
                }
                #expect(reported.ccids == ["\(step)"])
                #expect(reported.cv == bucket.cv)
                past[bucket.cv] = Self.state(bucket)
            } else {
                // Each of these is well formed, so that nothing but these can be wrong with it.
                #expect([404, 412, 405].contains(outcome.change.error))
            }
        }
        #expect(accepted > 60)
        #expect(rebased > 10)
        let head = Self.state(bucket)
        var known = 0
        for (cv, state) in past {
            guard let changes = bucket.changes(since: cv) else { continue }
            known += 1
            #expect(Self.isSame(Self.replay(changes, on: state), head))
            #expect(changes.isEmpty || changes.last?.cv == bucket.cv)
        }
        #expect(known > 10)
        #expect(bucket.loggedCount <= 30)
        #expect(
            bucket.weight
                == bucket.contents.flatMap(\.versions).reduce(0) { $0 + $1.data.bytes().count })
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `gives the same replies again, also from a snapshot`(seed: UInt64) {
        func run(
            _ server: inout ServerPlaybook, _ random: inout SplitMix64, _ steps: Int
        ) -> [String] {
            (0..<steps).flatMap { step in
                let key = Int.random(in: 0..<3, using: &random)
                let sv = Int.random(in: 0..<5, using: &random)
                let text = Self.letters.randomElement(using: &random) ?? ""
                let version = sv == 0 ? "" : #""sv":\#(sv),"#
                return server.say(
                    #"0:c:{"id":"k\#(key)","o":"M",\#(version)"d":{"t":\#(JSONValue.string(text).text())},"#
                        + #""ccid":"\#(random.next())"}"#) + server.say("0:cv:cv\(step)")
            }
        }
        var first = ServerPlaybook()
        _ = first.play("join 1 c1")
        var second = first
        var random = SplitMix64(seed: seed)
        var same = SplitMix64(seed: seed)
        #expect(run(&first, &random, 30) == run(&second, &same, 30))
        #expect(first.server == second.server)
        #expect(first.server.hashValue == second.server.hashValue)
        let snapshot = first.server
        let later = run(&first, &random, 30)
        #expect(first.server != snapshot)
        first.server = snapshot
        #expect(run(&first, &same, 30) == later)
    }

    @Test func `goes on from what an index, entities and changes tell`() throws {
        var book = ServerPlaybook()
        _ = book.play("join 1 c1")
        for number in 1...30 {
            _ = book.say(
                #"0:c:{"id":"k\#(number % 4)","o":"M","d":{"n":\#(number)},"ccid":"\#(number)"}"#)
        }
        _ = book.say(#"0:c:{"id":"k3","o":"-","ccid":"r"}"#)
        let old = try #require(book.server.buckets[ServerPlaybook.notes])
        let log = try #require(old.changes(since: "cv0"))
        var new = ServerBucket(
            name: "notes", versions: ChangeVersions(seed: 5), objects: old.contents, cv: old.cv,
            log: log, logStart: "cv0")
        #expect(new.contents == old.contents)
        #expect(new.weight == old.weight)
        #expect(new.count == 3)
        for number in 0...31 {
            #expect(new.changes(since: "cv\(number)") == old.changes(since: "cv\(number)"))
        }
        let author = ChangeAuthor(clientID: "c1")
        let again = SimperiumChange<JSONValue>(key: "k0", operation: .remove, ccids: ["28"])
        #expect(new.receive(again, from: author).change.error == 409)
        let back = SimperiumChange<JSONValue>(
            key: "k3", operation: .modify, ccids: ["x"], data: .object(JSONObject()))
        #expect(
            new.receive(back, from: author).change.ev == (old.history(of: "k3")?.number ?? 0) + 1)
        #expect(new.cv.utf8.count == 24)
    }

    @Test func `takes seeds of any kind`() {
        let seeds = [
            ServerObject(key: "zero", number: 0, data: .object(JSONObject())),
            ServerObject(key: "max", number: .max, data: .object(JSONObject())),
            ServerObject(key: "list", number: 1, data: .array([])),
            ServerObject(key: "none", number: 1, isRemoved: false, versions: []),
            ServerObject(key: "gone", number: 4, isRemoved: true, versions: []),
            ServerObject(key: "k", number: 1, data: .object(JSONObject())),
            ServerObject(key: "k", number: 2, data: .object(JSONObject())),
        ]
        let bucket = ServerBucket(
            name: "b", versions: ChangeVersions(seed: 1), objects: seeds,
            log: [SimperiumChange<JSONValue>(key: "k")])
        #expect(bucket.contents.map(\.key) == ["k", "gone"])
        #expect(bucket.count == 1)
        #expect(bucket.object("k")?.version == 2)
        #expect(bucket.weight == 2)
    }

    @Test(arguments: ProcessEnvironment.seeds(300))
    func `survives any damage to a conversation`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var book = ServerPlaybook()
        _ = book.play("join 1 c1")
        let lines = [
            #"0:c:{"id":"a","o":"M","d":{"t":"x","n":1,"l":[1,2]},"ccid":"1"}"#,
            #"0:c:{"id":"a","o":"M","sv":1,"v":{"t":{"o":"d","v":"=1\t+y"}},"ccid":"2"}"#,
            #"0:c:{"id":"a","o":"M","sv":1,"v":{"l":{"o":"L","v":{"0":{"o":"-"}}}},"ccid":"3"}"#,
            #"0:c:{"id":"a","o":"M","sv":1,"v":{"n":{"o":"I","v":5}},"ccid":"4"}"#,
            "0:i:1:f0000000000001::10", "0:e:a.1", "0:cv:cv1", "h:1", "0:index:{}", "log:{}",
            #"0:c:{"id":"notes","o":"EMPTY","ccid":"5"}"#, "0:" + ServerPlaybook.initialize("c1"),
        ]
        for line in lines {
            var bytes = Array(line.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                    in: 0x20...0x7F, using: &random)
            }
            #expect(book.server.receive(text: bytes, from: SocketID(1)).count <= 2)
        }
    }
}
