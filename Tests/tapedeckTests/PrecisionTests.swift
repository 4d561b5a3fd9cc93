import ConvergenceWorld
import Diagnosis
import Faults
import Foundation
import Testing
import Trace
import Wire

@testable import FaultWorld
@testable import tapedeck

/// Clients that behave, behind a proxy that does not.
///
/// Eight of them edit, are cut and killed, and meet every fault, on a virtual clock. Nothing may be
/// blamed on them.
@Suite struct PrecisionTests {
    /// For people who wait: more seeds for everything.
    ///
    /// `Tools/soak --precision` takes fifty.
    private static let seeds = ProcessEnvironment.number("TAPEDECK_PRECISION_SEEDS") ?? 1

    /// What the world does, and no client: it connects when chance says so.
    private static let ofTheWorld: Set<String> = [
        "simperium.session.reconnect-storm", "simperium.story.reconnect-storm",
    ]

    /// For people who look: whether traces are left in the folder for temporary files.
    private static let keepsTraces = ProcessEnvironment.number("TAPEDECK_PRECISION_KEEP") != nil

    @Test(arguments: FaultPack.all.map(\.name))
    func `nothing is blamed on clients under a pack`(_ name: String) throws {
        let plan = try #require(FaultPack.named(name)).plan()
        for seed in 0..<UInt64(Self.seeds) {
            var scene = FaultScene(seed: seed, plan: plan, edits: 60, cuts: 2)
            _ = scene.play()
            let blamed = try blame(scene.records)
            #expect(blamed == [], "seed \(seed)")
        }
    }

    @Test(arguments: FaultCase.all)
    func `nothing is blamed on clients under faults of one kind`(_ one: FaultCase) throws {
        for seed in 0..<UInt64(Self.seeds) {
            var scene = try FaultScene(
                seed: seed, rules: one.lines(), edits: one.edits, cuts: one.cuts)
            _ = scene.play()
            let blamed = try blame(scene.records)
            #expect(blamed == [], "seed \(seed)")
        }
    }

    @Test func `nothing is blamed on anybody without faults`() throws {
        for seed in 0..<UInt64(max(4, Self.seeds)) {
            var scene = try FaultScene(seed: seed, rules: [], edits: 100, cuts: 2)
            _ = scene.play()
            let found = try findings(scene.records).map(Self.told)
            #expect(found == [], "seed \(seed)")
        }
    }

    /// What blames a client.
    private func blame(_ records: [Record]) throws -> [String] {
        try findings(records).filter { $0.rule.blames == .client }.map(Self.told)
    }

    private static func told(_ finding: Finding) -> String {
        "\(finding.rule.id) at \(finding.at.nanoseconds / 1_000_000) ms: \(finding.says)"
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
        for record in records { _ = writer.put([record]) }
        writer.finish()
        if Self.keepsTraces { print("kept \(path)") }
        return try TraceDiagnosis.diagnose(trace: path).sessions.flatMap(\.findings)
            .filter { $0.severity != .info && !Self.ofTheWorld.contains($0.rule.id) }
    }
}
