import Faults
import Testing

struct FaultPackTests {
    @Test(arguments: FaultPack.all.map(\.name)) func `can be read`(name: String) throws {
        let pack = try #require(FaultPack.named(name))
        do throws(FaultPlanError) {
            let plan = try pack.plan()
            #expect(!plan.rules.isEmpty)
            #expect(try FaultPlan.parse(yaml: plan.yaml) == plan)
        } catch {
            Issue.record("\(error.report(file: "\(name).yaml"))")
        }
        #expect(pack.about.contains("A correct client"))
        #expect(pack.about.hasSuffix("."))
    }

    @Test func `finds what was mistyped`() {
        #expect(FaultPack.named("tunels") == nil)
        #expect(FaultPack.nearest(to: "tunels") == ["tunnels"])
    }
}
