import Replaying
import Testing
import Wire

@Suite struct RecordedCommandsTests {
    @Test func `gives back what was put in`() {
        var random = SplitMix64(3)
        var list: [RecordedCommand] = []
        for number in 1...500 {
            list.append(
                RecordedCommand(
                    id: CommandID(Int64(number) * 2), socket: ConnectionID(Int64(random.below(3))),
                    sender: random.chance(50) ? .client : .server,
                    at: Instant(nanoseconds: Int64(number)),
                    channel: [nil, 0, 7, .max][random.below(4)],
                    name: ["c", "i", "something"][random.below(3)],
                    ccids: (0..<random.below(3)).map { _ in "ccid\(random.below(50))" }))
        }
        let commands = RecordedCommands(list)
        #expect(Array(commands) == list)
        #expect(list.indices.allSatisfy { commands.place(of: list[$0].id) == $0 })
        #expect(commands.place(of: CommandID(3)) == nil)
        #expect(Set(commands.sockets) == Set(list.map(\.socket)))
        for (place, command) in list.enumerated() {
            let numbers = command.ccids.map { commands.number(ofCCID: $0) }
            #expect(commands.ccidNumbers(at: place).map { $0 } == numbers)
        }
        #expect(commands.number(ofCCID: "none") == nil)
    }
}
