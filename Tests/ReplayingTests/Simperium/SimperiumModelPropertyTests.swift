import Notation
import Replaying
import Simperium
import Testing
import Wire

struct SimperiumModelPropertyTests {
    private static func edits(
        _ count: Int, clients: Int, _ random: inout SplitMix64, cuts: Int, label: String
    ) -> [ModelWorld.Edit] {
        (0..<count).map { number in
            let key = random.chance(30) ? "\(label)-\(number)" : "shared-\(random.below(4))"
            let data = JSONValue.object(
                JSONObject([
                    .init("n", .number(String(random.below(1000)))),
                    .init("text", .string("\(label) \(number) \(random.below(100))")),
                ]))
            return ModelWorld.Edit(
                client: random.below(clients), key: key,
                data: random.chance(15) ? nil : data, isCut: random.chance(cuts))
        }
    }

    private static func seeded(_ seed: UInt64) -> ServerModel {
        var options = ServerOptions()
        options.checksTokens = false
        var model = ServerModel(options: options, seed: seed)
        let objects = (0..<5).map { number in
            ServerObject(
                key: number < 3 ? "shared-\(number)" : "seeded-\(number)",
                number: Int64(number + 2),
                data: .object(JSONObject([.init("text", .string("seeded \(number)"))])))
        }
        model.put(
            ServerBucket(
                name: "note", versions: ChangeVersions(seed: seed &+ 99), objects: objects),
            as: .init(app: "app", account: "who", name: "note"))
        return model
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `clients that go on otherwise converge with the model`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let count = 1 + random.below(3)
        let holdsData = random.chance(50)
        let cuts = random.chance(50) ? 10 : 0
        let same = Self.edits(5 + random.below(25), clients: count, &random, cuts: cuts, label: "r")
        let isPrompt = random.chance(50)
        let waits = random.chance(50)

        var recorded = ModelWorld(
            clients: count, .embedded(Self.seeded(seed)), pagesHoldData: holdsData,
            seed: random.next())
        recorded.settle()
        for edit in same {
            recorded.make(edit)
            if isPrompt { recorded.settle() } else { for _ in 0..<3 { _ = recorded.deliver() } }
        }
        recorded.settle()
        #expect(Set(recorded.contents.map(\.count)).count == 1)

        var live = ModelWorld(
            clients: count,
            .replay(recorded.script.replay(.model, waitsForAbsent: waits)),
            pagesHoldData: holdsData, seed: random.next())
        live.settle()
        let kept = random.below(same.count + 1)
        for edit in same.prefix(kept) {
            live.make(edit)
            if isPrompt { live.settle() } else { for _ in 0..<3 { _ = live.deliver() } }
        }
        let others = Self.edits(3 + random.below(15), clients: count, &random, cuts: 15, label: "n")
        for edit in others {
            live.make(edit)
            for _ in 0..<random.below(6) { _ = live.deliver() }
        }
        live.settle()

        let replay = try #require(live.replay)
        #expect(replay.missed == 0)
        for client in live.clients {
            #expect(client.bucket.phase == .synced)
            #expect(!client.bucket.hasPending)
        }
        let contents = live.contents
        for other in contents.dropFirst() {
            #expect(other.keys.sorted() == contents[0].keys.sorted())
            for (key, value) in other { #expect(contents[0][key]?.isSame(as: value) == true) }
        }
        // Whoever comes anew gets the same from the model.
        #expect(!replay.handOvers.isEmpty)
        live.add(seed: random.next())
        live.settle()
        let last = live.contents.last ?? [:]
        #expect(last.keys.sorted() == contents[0].keys.sorted())
        for (key, value) in last { #expect(contents[0][key]?.isSame(as: value) == true) }
        // What nobody but one client touches is what that client made of it last.
        var made: [String: JSONValue?] = [:]
        for edit in same.prefix(kept) + others where !edit.key.hasPrefix("shared") {
            made[edit.key] = .some(edit.data)
        }
        for (key, data) in made {
            let isSame = data.map { contents[0][key]?.isSame(as: $0) == true }
            #expect(isSame ?? (contents[0][key] == nil), "\(key)")
        }
    }
}
