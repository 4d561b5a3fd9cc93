import ConvergenceWorld
import Testing
import Wire

@testable import Diagnosis

/// The built-in client, whose connections are cut and whose changes are refused at random, does
/// nothing that is an error or a warning.
@Suite struct BuiltInClientTests {
    /// 3 unless told; 50 for people who wait.
    private static let seeds = UInt64(ProcessEnvironment.number("TAPEDECK_DIAGNOSIS_SEEDS") ?? 3)

    private static let first = UInt64(ProcessEnvironment.number("TAPEDECK_DIAGNOSIS_FIRST") ?? 0)

    @Test(arguments: first..<first + seeds, [false, true])
    func `is blamed for nothing`(seed: UInt64, isAtServer: Bool) {
        var plan = FirePlan()
        plan.clients = 4
        plan.buckets = ["notes", "tags"]
        plan.edits = 600
        plan.link = seed.isMultiple(of: 3) ? .quick : .slow
        // Now and then with a heartbeat, which shows what a client has got.
        if seed.isMultiple(of: 2) { plan.heartbeatIdle = 5_000_000_000 }
        let keepsTranscript = ProcessEnvironment.number("TAPEDECK_DIAGNOSIS_STORY") != nil
        var world = FireWorld(
            seed: seed, plan,
            line: TappedLine(
                clients: plan.clients, isAtServer: isAtServer,
                keepsTranscript: keepsTranscript))
        #expect(world.run().isEmpty)
        var line = world.line
        let findings = line.findings().filter { $0.severity != .info }
        let words = findings.prefix(3).map {
            "\($0.rule.id) \($0.client) at \($0.at.nanoseconds / 1_000_000): \($0.detail)"
        }
        #expect(words == [], "seed \(seed)")
        if keepsTranscript, let first = findings.first {
            for line in line.group where line.contains(first.topic.split(separator: "/")[1]) {
                print(line)
            }
        }
    }
}
