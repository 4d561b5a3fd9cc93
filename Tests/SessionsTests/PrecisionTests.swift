import ConvergenceWorld
import Diagnosis
import Faults
import Foundation
import Testing
import Trace
import Wire

@testable import FaultWorld
@testable import Sessions

/// Clients that behave, behind a proxy that does not.
///
/// Eight of them edit, are cut and killed, and meet every fault, on a virtual clock. Nothing may be
/// blamed on them.
@Suite struct PrecisionTests {
    /// For people who wait: more seeds for everything.
    ///
    /// `Tools/soak --precision` takes fifty.
    private static let seeds = ProcessEnvironment.number("TAPEDECK_PRECISION_SEEDS") ?? 1

    /// For people who look: this seed alone, of packs and rules whose text has these words alone.
    private static let onlySeed = ProcessEnvironment.number("TAPEDECK_PRECISION_SEED")
    private static let onlyWords = ProcessEnvironment.text("TAPEDECK_PRECISION_ONLY")

    /// A client that begins at once is taken for one that has what came a second before; where messages
    /// are on their way for longer, it begins late.
    private static let links: [FirePlan.Link] = [.quick, .slow]

    /// What the world does, and no client: it connects when chance says so.
    private static let ofTheWorld: Set<String> = [
        "simperium.session.reconnect-storm", "simperium.story.reconnect-storm",
    ]

    /// For people who look: whether traces are left in the folder for temporary files.
    private static let keepsTraces = ProcessEnvironment.number("TAPEDECK_PRECISION_KEEP") != nil

    @Test(arguments: FaultPack.all.map(\.name))
    func `nothing is blamed on clients under a pack`(_ name: String) throws {
        let plan = try #require(FaultPack.named(name)).plan()
        for seed in Self.seeds(of: name) {
            for link in Self.links {
                var scene = FaultScene(seed: seed, plan: plan, edits: 60, cuts: 2, link: link)
                _ = scene.play()
                let blamed = try blame(scene.records)
                #expect(blamed == [], "seed \(seed), \(link)")
            }
        }
    }

    @Test(arguments: FaultCase.all)
    func `nothing is blamed on clients under faults of one kind`(_ one: FaultCase) throws {
        for seed in Self.seeds(of: one.testDescription) {
            for link in Self.links {
                var scene = try FaultScene(
                    seed: seed, rules: one.lines(), edits: one.edits, cuts: one.cuts, link: link)
                _ = scene.play()
                let blamed = try blame(scene.records)
                #expect(blamed == [], "seed \(seed), \(link)")
            }
        }
    }

    /// Of these something was blamed on them once.
    @Test(
        arguments: [
            ("command:init sender:client => auth-expired", 7),
            ("command:init sender:client => auth-expired", 28),
            ("command:{i,e,cv} => reorder", 21), ("=> latency 800ms jitter=700ms", 49),
            ("=> slice 7 pause=20ms", 31),
        ] as [(String, UInt64)])
    func `nothing is blamed on clients in these sessions`(_ rule: String, _ seed: UInt64) throws {
        let one = try #require(FaultCase.all.first { $0.testDescription == rule })
        var scene = try FaultScene(
            seed: seed, rules: one.lines(), edits: one.edits, cuts: one.cuts, link: .slow)
        _ = scene.play()
        #expect(try blame(scene.records) == [])
    }

    @Test func `nothing is blamed on anybody without faults`() throws {
        for seed in Self.seeds(of: "", atLeast: 4) {
            for link in Self.links {
                var scene = try FaultScene(seed: seed, rules: [], edits: 100, cuts: 2, link: link)
                _ = scene.play()
                let found = try findings(scene.records).map(Self.reported)
                #expect(found == [], "seed \(seed), \(link)")
            }
        }
    }

    private static func seeds(of text: String, atLeast least: Int = 1) -> Range<UInt64> {
        guard onlyWords.map(text.contains) ?? true else { return 0..<0 }
        guard let onlySeed else { return 0..<UInt64(max(least, seeds)) }
        return UInt64(onlySeed)..<UInt64(onlySeed) + 1
    }

    /// What blames a client.
    private func blame(_ records: [Record]) throws -> [String] {
        try findings(records).filter { $0.rule.blames == .client }.map(Self.reported)
    }

    private static func reported(_ finding: Finding) -> String {
        "\(finding.rule.id) at \(finding.at.nanoseconds / 1_000_000) ms: \(finding.detail)"
    }

    /// Errors and warnings, by way of a real trace.
    private func findings(_ records: [Record]) throws -> [Finding] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("precision-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            if !Self.keepsTraces { try? FileManager.default.removeItem(at: folder) }
        }
        let path = folder.appendingPathComponent("a.tape").path
        let writer = try TraceWriter(
            path: path,
            session: SessionStart(
                provenance: .proxy, version: "1", arguments: "", startedUnixNanoseconds: 0))
        _ = writer.put(records)
        writer.finish()
        if Self.keepsTraces { print("kept \(path)") }
        return try TraceDiagnosis.diagnose(trace: path).sessions.flatMap(\.findings)
            .filter { $0.severity != .info && !Self.ofTheWorld.contains($0.rule.id) }
    }
}
