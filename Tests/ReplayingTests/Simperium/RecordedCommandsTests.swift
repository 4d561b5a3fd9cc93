import Notation
import Replaying
import Testing
import Wire

@Suite struct RecordedCommandsTests {
    /// Takes out the last command of each side of each channel, twice.
    private func expectRemoved(_ list: [RecordedCommand], _ commands: RecordedCommands) {
        var (list, commands) = (list, commands)
        for _ in 0..<2 {
            var last: [[Int?]: CommandID] = [:]
            for command in list {
                let socket = Int(command.socket.rawValue)
                last[[socket, command.channel, command.sender.rawValue]] = command.id
            }
            #expect(Set(commands.lastOfSides) == Set(last.values))
            for id in commands.lastOfSides { commands.remove(id) }
            commands.remove(CommandID(3))
            list.removeAll { last.values.contains($0.id) }
            #expect(Array(commands) == list)
            #expect(list.indices.allSatisfy { commands.place(of: list[$0].id) == $0 })
        }
    }

    @Test func `gives back what was put in`() {
        var random = SplitMix64(seed: 3)
        var list: [RecordedCommand] = []
        let digits = (0..<10).map { String($0 * 7_919, radix: 16) }
        let made = digits.map { String(repeating: "0", count: 32 - $0.count) + $0 }
        let kinds =
            made + made.map { $0.uppercased() } + ["", "\0", "\u{1}x", "ccid", "\0" + made[1]]
        for number in 1...500 {
            // Numbers of traces are far apart where many were taken out.
            let apart: Int64 = number < 200 ? 2 : 1 << 24
            list.append(
                RecordedCommand(
                    id: CommandID(Int64(number) * apart),
                    socket: ConnectionID(Int64(random.below(3))),
                    sender: random.chance(50) ? .client : .server,
                    at: Instant(nanoseconds: Int64(number) << random.below(50)),
                    channel: [nil, 0, 7, .max][random.below(4)],
                    name: ["c", "i", "something"][random.below(3)],
                    ccids: (0..<random.below(3)).map { _ in kinds[random.below(kinds.count)] }))
        }
        let commands = RecordedCommands(list)
        #expect(Array(commands) == list)
        #expect(list.indices.allSatisfy { commands.place(of: list[$0].id) == $0 })
        #expect(commands.place(of: CommandID(3)) == nil)
        #expect(Set(commands.sockets) == Set(list.map(\.socket)))
        for (place, command) in list.enumerated() {
            let numbers = command.ccids.map { commands.number(ofCCID: $0) }
            #expect(commands.ccidNumbers(at: place).map { $0 } == numbers)
            #expect(commands.id(at: place) == command.id)
        }
        #expect(commands.number(ofCCID: "none") == nil)
        expectRemoved(list, commands)
    }
}
