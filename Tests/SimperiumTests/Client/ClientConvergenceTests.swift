import ConvergenceWorld
import Simperium
import Testing
import Wire

/// Clients and a server with everything going wrong between them end with the same data.
@Suite struct ClientConvergenceTests {
    @Test(arguments: ProcessEnvironment.seeds(16)) func `converges whatever the connections do`(
        block: UInt64
    ) {
        for seed in block * 25..<(block + 1) * 25 {
            var world = ClientWorld(seed: seed, requestsInInit: true)
            let problem = world.run()
            #expect(problem == nil, "seed \(seed): \(problem ?? "")")
        }
    }

    @Test(arguments: ProcessEnvironment.seeds(8)) func `converges when it asks after auth`(
        block: UInt64
    ) {
        for seed in block * 25..<(block + 1) * 25 {
            var world = ClientWorld(seed: 10_000 + seed, requestsInInit: false)
            let problem = world.run()
            #expect(problem == nil, "seed \(seed): \(problem ?? "")")
        }
    }

    @Test func `gives the same commands for the same seed`() {
        var one = ClientWorld(seed: 7, requestsInInit: true)
        var other = ClientWorld(seed: 7, requestsInInit: true)
        #expect(one.run() == nil)
        #expect(other.run() == nil)
        #expect(one.transcript == other.transcript)
        #expect(one.transcript.count > 50)
    }
}
