import Notation
import Simperium
import Testing
import Wire

@testable import ConvergenceWorld
@testable import Replaying

@Suite struct SimperiumPlayPropertyTests {
    /// A session that was recorded, and the server as it was before.
    static func record(
        _ seed: UInt64, edits: Int = 60, cuts: Int = 1
    ) -> (line: RecordingLine, server: ServerModel) {
        var plan = FirePlan()
        plan.clients = 1 + Int(seed % 4)
        plan.buckets = Array(["notes", "tags", "places"].prefix(1 + Int(seed / 4 % 3)))
        plan.edits = edits
        plan.codes = []
        plan.cuts = cuts
        var world = FireWorld(seed: seed, plan, line: RecordingLine(clients: plan.clients))
        let server = world.server
        #expect(world.run() == [])
        return (world.line, server)
    }

    @Test(arguments: ProcessEnvironment.seeds(60))
    func `a session of the built-in clients is played anew without a difference`(seed: UInt64) {
        let (line, server) = Self.record(seed, cuts: 0)
        var live = LivePlay(
            line.commands, line.sockets, line.texts, on: server,
            names: PlayedNames(seed: seed + 1), seed: seed + 2)
        live.run()
        #expect(live.deviations == [])
        #expect(live.stalls == 0)
        #expect(live.finished.count == live.expected)
        for socket in live.played { #expect(socket.matched == socket.recorded) }
    }

    @Test(arguments: ProcessEnvironment.seeds(60))
    func `a session whose connections were cut comes to its end`(seed: UInt64) {
        let (line, server) = Self.record(seed, cuts: 1)
        var live = LivePlay(
            line.commands, line.sockets, line.texts, on: server,
            names: PlayedNames(seed: seed + 1), seed: seed + 2)
        live.run()
        #expect(live.finished.count == live.expected)
        #expect(live.played.allSatisfy { !$0.wasStopped && $0.unreachable == nil })
    }

    @Test(arguments: ProcessEnvironment.seeds(60))
    func `one client that comes back is played anew without a difference`(seed: UInt64) {
        // Nobody else is there with whom the order would have to be found out.
        let (line, server) = Self.record(12 * seed, cuts: 1)
        var live = LivePlay(
            line.commands, line.sockets, line.texts, on: server,
            names: PlayedNames(seed: seed + 1), seed: seed + 2)
        live.run()
        #expect(live.deviations == [])
        #expect(live.finished.count == live.expected)
    }

    /// The last are those with the most answers to `cv` that look like changes that came by themselves.
    @Test(arguments: Array(0..<24) + [866, 1710, 2150, 2353, 3759] as [UInt64])
    func `several clients that are cut off and come back are played anew`(seed: UInt64) {
        let (line, server) = Self.record(seed, cuts: 1)
        var live = LivePlay(
            line.commands, line.sockets, line.texts, on: server,
            names: PlayedNames(seed: seed + 1), seed: seed + 2)
        live.run()
        #expect(live.deviations == [])
        #expect(live.stalls == 0)
        #expect(live.finished.count == live.expected)
    }

    @Test(arguments: ProcessEnvironment.seeds(40))
    func `one changed answer among many is found and pointed at`(seed: UInt64) {
        let (line, server) = Self.record(seed, cuts: 0)
        var live = LivePlay(
            line.commands, line.sockets, line.texts, on: server,
            names: PlayedNames(seed: seed + 1), seed: seed + 2)
        var left = 5 + Int(seed)
        live.distort = { message in
            guard case .changes(var changes) = message.body, var change = changes.last,
                case .object(var value)? = change.value
            else { return [message] }
            left -= 1
            guard left == 0 else { return [message] }
            value.members.append(.init("not recorded", .number("1")))
            change.value = .object(value)
            changes[changes.count - 1] = change
            return [SimperiumMessage(message.channel, .changes(changes))]
        }
        live.run()
        let all = live.played.flatMap(\.deviations)
        #expect(all.count == 1)
        #expect(all.first?.differences.items.first?.path.hasSuffix("/v/not recorded") == true)
        #expect(live.finished.count == live.expected)
    }

    @Test(arguments: ProcessEnvironment.seeds(40))
    func `an answer that is lost is named, and the play comes to its end`(seed: UInt64) {
        let (line, server) = Self.record(seed, cuts: 0)
        var live = LivePlay(
            line.commands, line.sockets, line.texts, on: server,
            names: PlayedNames(seed: seed + 1), seed: seed + 2)
        var left = 5 + Int(seed)
        live.distort = { message in
            guard case .changes(let changes) = message.body, !changes.isEmpty else {
                return [message]
            }
            left -= 1
            return left == 0 ? [] : [message]
        }
        live.run()
        let all = live.played.flatMap(\.deviations)
        #expect(all.contains { $0.line.hasPrefix("missing command") })
        #expect(live.finished.count == live.expected)
    }
}
