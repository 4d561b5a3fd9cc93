import Notation
import Replaying
import Testing

@Suite struct HTTPPlayPropertyTests {
    /// A recorded session and what became of it at another server.
    private static func play(
        _ seed: Int, moodiness: Int = 0, change: (inout Recorded) -> Void = { _ in }
    ) -> (recorded: [Recorded], played: [PlayedExchange]) {
        var server = FakeCommCare(seed: UInt64(seed), delays: seed % 40)
        var client = FakeClient(seed: UInt64(seed))
        client.live(24, &server)
        var recorded = client.recorded
        for place in recorded.indices { change(&recorded[place]) }
        var other = FakeCommCare(
            seed: UInt64(seed) + 1_000_000, delays: 20, moodiness: moodiness)
        var world = HTTPWorld(recorded, seed: UInt64(seed)) { $0.maxTries = 100 }
        let played = recorded.map { one in world.run(one) { other.answer($0) } }
        return (recorded, played)
    }

    @Test(arguments: 0..<80)
    func `a session played to another server of the kind shows no difference`(seed: Int) {
        let (_, played) = Self.play(seed)
        for one in played { #expect(one.isSame, "\(one.description)") }
    }

    @Test(arguments: 0..<80)
    func `a server that puts off and forgets changes nothing`(seed: Int) {
        let (_, played) = Self.play(seed, moodiness: 25)
        for one in played { #expect(one.isSame, "\(one.description)") }
        #expect(played.contains { $0.requests > 1 })
    }

    @Test(arguments: 0..<40)
    func `what one answer says otherwise is found there`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var place = -1
        var number = -1
        let chosen = random.below(12)
        let (recorded, played) = Self.play(seed) { one in
            number += 1
            guard number == chosen, one.exchange.method == "POST" else { return }
            place = number
            let answer = string(one.recording.response?.body ?? [])
            one.recording.response?.body = bytes(
                answer.split(separator: "submit_success").joined(separator: "submit_error"))
        }
        #expect(recorded.count == played.count)
        let differing = played.indices.filter { !played[$0].isSame }
        #expect(differing == (place < 0 ? [] : [place]))
        if place >= 0 {
            #expect(
                played[place].differences.items.map(\.path) == [
                    "/OpenRosaResponse/message[1]/@nature"
                ])
        }
    }
}
