import ConnectionWorld
import ConvergenceWorld
import Foundation
import Testing

/// Whole connections whose peers do whatever chance decides; see ``World`` for what has to hold.
///
/// `TAPEDECK_STEPS` says how many events are played, and `TAPEDECK_WORLD` plays the world of one
/// seed, or of an input of fuzzing in a file, and tells everything that happens in it. Inputs that
/// fuzzing found are played by `FuzzingTests`.
@Suite(.timeLimit(.minutes(60))) struct ConnectionWorldTests {
    /// What worlds contain.
    static let features: WorldFeatures = {
        ProcessEnvironment.number("TAPEDECK_FEATURES").map {
            WorldFeatures(rawValue: UInt32(truncatingIfNeeded: $0))
        } ?? .all
    }()

    @Test(.enabled(if: ProcessEnvironment.text("TAPEDECK_WORLD") == nil))
    func `keeps its word whatever peers do`() {
        play(most: ProcessEnvironment.number("TAPEDECK_STEPS") ?? 100_000, Self.features)
    }

    /// The same where clients name their servers by SOCKS, or their connections are redirected.
    @Test(.enabled(if: ProcessEnvironment.text("TAPEDECK_WORLD") == nil))
    func `keeps its word however clients come in`() {
        let most = ProcessEnvironment.number("TAPEDECK_STEPS") ?? 25_000
        let features = Self.features.union(.ways)
        play(most: most, features.subtracting(.rules))
        play(most: most, features)
    }

    private func play(most: Int, _ features: WorldFeatures) {
        let first = ProcessEnvironment.number("TAPEDECK_FIRST") ?? 0
        var steps = 0
        var failures = 0
        var seed = UInt64(first)
        while steps < most, failures < (ProcessEnvironment.number("TAPEDECK_FAILURES") ?? 3) {
            var world = World(Chance(seed: seed), features: features)
            world.play()
            steps += world.steps
            if !world.problems.isEmpty {
                failures += 1
                Issue.record("world \(seed): \(world.problems.joined(separator: "\n"))")
            }
            seed += 1
        }
        print("\(seed - UInt64(first)) worlds, \(steps) steps, \(failures) failures")
    }

    /// A recording that is killed while a request with content is still coming in pieces; bytes that
    /// faults changed while they waited, of which more is kept than goes on; an action by hand while
    /// what the client sent waits for a gate.
    @Test(arguments: [90_731, 1_900, 40] as [UInt64])
    func `keeps its word in worlds that were once too much`(seed: UInt64) {
        var world = World(Chance(seed: seed))
        world.play()
        #expect(world.problems.isEmpty, "\(world.problems.joined(separator: "\n"))")
    }

    @Test(.enabled(if: ProcessEnvironment.text("TAPEDECK_WORLD") != nil))
    func `tells what happens in a world`() throws {
        let name = ProcessEnvironment.text("TAPEDECK_WORLD") ?? ""
        let chance =
            try UInt64(name).map { Chance(seed: $0) }
            ?? Chance(input: Array(Data(contentsOf: URL(fileURLWithPath: name))))
        func kind(_ most: Int) -> String? {
            var world = World(chance, features: Self.features, most: most)
            world.play()
            return world.problems.first.map { String($0.prefix(25)) }
        }
        // As short as it fails in the same way.
        var most = 3_000
        let whole = kind(most)
        for share in [2, 4, 16] {
            while most > 1, kind(most - max(1, most / share)) == whole {
                most -= max(1, most / share)
            }
        }
        var world = World(chance, features: Self.features, most: most, isLogging: true)
        world.play()
        for line in world.log { print(line) }
        for problem in world.problems { Issue.record("world \(name), \(most): \(problem)") }
    }
}
