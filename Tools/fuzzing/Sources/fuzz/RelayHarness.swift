internal import ConnectionWorld

extension Harness {
    /// Plays whole connections, of which the input decides everything that is left open: how peers
    /// behave, what is read when, which rules there are.
    static let relay = Harness(name: "relay", longest: 4096) { bytes in
        var world = World(
            Chance(input: bytes), features: WorldFeatures.all)
        world.play()
        demand(world.problems.isEmpty, world.problems.joined(separator: "\n"))
    }
}
