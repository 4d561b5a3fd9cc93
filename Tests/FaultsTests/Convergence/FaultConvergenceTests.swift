import ConvergenceWorld
import Faults
import Notation
import Testing
import Wire

@testable import FaultWorld

/// Eight clients and three buckets behind the proxy: real frames, judged and relayed, on a virtual
/// clock.
@Suite struct FaultConvergenceTests {
    /// For people who wait: more seeds for everything.
    private static let seeds = ProcessEnvironment.number("TAPEDECK_FIRE_SEEDS") ?? 1
    private static let mixes = max(20, seeds)

    @Test(arguments: FaultCase.all) func `converges once faults of one kind stop`(
        _ one: FaultCase
    ) throws {
        for seed in 0..<UInt64(Self.seeds) {
            try play([one], one.lines(), seed: seed, edits: one.edits, cuts: one.cuts)
        }
    }

    @Test(arguments: 0..<mixes) func `converges once a mix of faults stops`(seed: Int) throws {
        var draws = SplitMix64(seed: UInt64(seed))
        let mix = Array(FaultCase.all.shuffled(using: &draws).prefix(8))
        let rules = mix.flatMap { $0.lines(chanceTimes: 0.5) }
        try play(mix, rules, seed: UInt64(seed), edits: 30, cuts: 1)
    }

    @Test(arguments: 0..<5) func `does the same faults for the same seed`(seed: Int) throws {
        let seed = UInt64(seed)
        let rules = FaultCase.all.flatMap { $0.lines(chanceTimes: 0.15) }
        var one = try FaultScene(seed: seed, rules: rules, edits: 30, cuts: 1)
        var other = try FaultScene(seed: seed, rules: rules, edits: 30, cuts: 1)
        _ = one.play()
        _ = other.play()
        #expect(one.rows == other.rows)
        #expect(one.rows.reduce(0) { $0 + $1.count } > 20)
        // The same traffic, in another order between the clients.
        let shuffled = FaultTranscript.replay(
            one.stories, session: try FaultScene.session(seed: seed, rules), shuffledBy: seed)
        #expect(shuffled == one.rows)
        let others = FaultTranscript.replay(
            one.stories, session: try FaultScene.session(seed: seed + 1000, rules),
            shuffledBy: seed)
        #expect(others != one.rows)
    }

    @Test func `is tried with every action on commands and connections`() {
        let onlyHTTP: Set<ActionKind> = [
            .loseAnswer, .answerTwice, .truncate, .corrupt, .length, .contentType, .cutXML,
            .setHeader, .removeHeader, .addHeader, .edit, .map, .serve, .recorded, .redirect,
            .block, .answer,
        ]
        // Whoever edits an object wants one side to have another content.
        let meant: Set<ActionKind> = [.editObject]
        #expect(
            Set(FaultCase.all.map(\.kind))
                == Set(ActionKind.allCases).subtracting(onlyHTTP).subtracting(meant))
    }

    /// Plays faults, and holds what is left against what is promised for all of them.
    private func play(
        _ cases: [FaultCase], _ rules: [String], seed: UInt64, edits: Int, cuts: Int
    ) throws {
        var scene = try FaultScene(seed: seed, rules: rules, edits: edits, cuts: cuts)
        let name = "seed \(seed)"
        let isCalm = scene.play()
        try #require(isCalm, "\(name): \(scene.world.whatIsBusy)")
        #expect(scene.rows.contains { !$0.isEmpty }, "\(name): no fault")
        #expect(scene.brokenRules == [], "\(name)")
        if cases.allSatisfy(\.promise.isSameAtOnce) {
            #expect(scene.world.differences() == [], "\(name)")
        } else {
            let isCalm = scene.touchEverything()
            try #require(isCalm, "\(name): \(scene.world.whatIsBusy)")
            #expect(scene.world.differences() == [], "\(name), after a change")
        }
        if cases.allSatisfy(\.promise.keepsHistory) {
            #expect(scene.world.problems() == [], "\(name)")
        }
    }
}
