import Testing
import Wire

@testable import Diagnosis

@Suite struct VariantTests {
    private func findings(_ breakage: Breakage) -> [Finding] {
        var world = VariantWorld(breakage)
        breakage.scene(&world)
        return world.script.findings()
    }

    /// What blames a client with an error or a warning.
    private func blame(_ findings: [Finding]) -> [String] {
        findings.filter { $0.rule.blames == .client && $0.severity != .info }
            .map { "\($0.rule.id): \($0.detail)" }
    }

    @Test(arguments: Scene.all)
    func `the client as it is breaks no rule`(_ scene: Scene) {
        let found = findings(Breakage("none", "", scene: scene.play))
        #expect(found.filter { $0.severity != .info }.map { "\($0.rule.id): \($0.detail)" } == [])
    }

    @Test(arguments: SimperiumBreakages.all.map(\.name))
    func `a broken client is named by its rule and no other`(_ name: String) throws {
        let breakage = try #require(SimperiumBreakages.all.first { $0.name == name })
        let found = findings(breakage)
        #expect(
            found.contains { $0.rule.id == breakage.rule },
            "\(name): found \(Set(found.map(\.rule.id)).sorted())")
        let others = found.filter {
            $0.rule.id != breakage.rule && !breakage.also.contains($0.rule.id)
        }
        #expect(blame(others) == [], "\(name)")
    }

    @Test func `every breakage names rules that there are`() {
        for breakage in SimperiumBreakages.all {
            #expect(Rules.rule(breakage.rule) != nil, "\(breakage.name)")
            for rule in breakage.also { #expect(Rules.rule(rule) != nil, "\(breakage.name)") }
        }
        #expect(Set(SimperiumBreakages.all.map(\.name)).count == SimperiumBreakages.all.count)
    }
}
