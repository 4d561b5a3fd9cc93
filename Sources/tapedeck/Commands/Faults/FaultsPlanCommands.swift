import ArgumentParser
import Faults
import Notation
import Wire

/// `tapedeck faults packs`.
struct FaultsPacksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "packs", abstract: "List the plans that come with Tapedeck.")

    @Flag(help: "Print an object per line.")
    var json = false

    @Argument(help: "Print the plan of this pack instead.")
    var name: String?

    func run() throws {
        if let name {
            guard let pack = FaultPack.named(name) else {
                let nearest = FaultPack.nearest(to: name).joined(separator: ", ")
                throw Failure(
                    .usage,
                    "there is no pack \(name)\(nearest.isEmpty ? "" : "; \(nearest) are similar")")
            }
            StandardOutput.write(pack.yaml)
            return
        }
        for pack in FaultPack.all {
            if json {
                var members = JSONMembers("name", pack.name)
                members.members.append(JSONMembers.Member("about", .string(pack.about)))
                members.members.append(JSONMembers.Member("yaml", .string(pack.yaml)))
                StandardOutput.write(JSONValue.object(members).text() + "\n")
            } else {
                StandardOutput.write("\(pack.name)\n    \(pack.about)\n")
            }
        }
    }
}

/// `tapedeck faults check`.
struct FaultsCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read a plan, a pack or a rule without running it, and print its rules.",
        discussion: "Reports a mistake with its place and exits with status 64.")

    @Flag(help: "Print an object per line.")
    var json = false

    @Argument(help: "A file, the name of a pack, or a rule: FILTER => ACTION key=value …")
    var plan: String

    func run() throws {
        for rule in try read().rules {
            if json {
                var members = JSONMembers("name", rule.name)
                members.members.append(JSONMembers.Member("rule", .string(rule.description)))
                members.members.append(JSONMembers.Member("phase", .string("\(rule.phase)")))
                StandardOutput.write(JSONValue.object(members).text() + "\n")
            } else {
                StandardOutput.write("\(rule)\n    phase \(rule.phase)\n")
            }
        }
    }

    private func read() throws(Failure) -> FaultPlan {
        guard !PlanSource.isFile(plan), plan.contains("=>") else {
            return try PlanSource(plan).plan()
        }
        do throws(FaultPlanError) {
            return try FaultPlan().adding(line: plan)
        } catch {
            throw Failure(.usage, error.report())
        }
    }
}
