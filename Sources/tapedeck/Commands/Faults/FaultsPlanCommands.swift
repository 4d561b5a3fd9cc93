import ArgumentParser
import Faults
import Notation
import Wire

/// `tapedeck faults packs`.
struct FaultsPacksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "packs", abstract: "List the plans that come with Tapedeck.",
        discussion: """
            Examples:
              tapedeck faults packs
              tapedeck faults packs flaky-mobile > plan.yaml
            """)

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
        discussion: """
            Reports a mistake with its place and exits with status 64; warns of conditions that \
            nothing can pass.

            Examples:
              tapedeck faults check plan.yaml
              tapedeck faults check 'api:commcare.restore => 503 first=2'
            """)

    @Flag(help: "Print an object per line.")
    var json = false

    @Argument(help: "A file, the name of a pack, or a rule: FILTER => ACTION key=value …")
    var plan: String

    func run() throws {
        let plan = try read()
        APINames.warnings(plan).forEach(StandardError.warn)
        for rule in plan.rules {
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
            // What has a field or a space is neither a file nor a pack that somebody meant.
            if !PlanSource.isFile(plan), plan.contains(" ") || plan.contains(":") {
                throw Failure(
                    .usage,
                    "\(plan) is no rule: => is missing between filter and action, as in "
                        + "'status:200 => 503'")
            }
            return try PlanSource(plan).plan()
        }
        do throws(FaultPlanError) {
            return try FaultPlan().adding(line: plan, recordings: .ofThisMachine)
        } catch {
            throw Failure(.usage, error.report())
        }
    }
}

/// `tapedeck faults schema`.
struct FaultsSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON schema of plans, with which editors complete and check them.",
        discussion: """
            Write it beside a plan and begin the plan with the line \
            `# yaml-language-server: $schema=faults.schema.json`.

            Example: tapedeck faults schema > faults.schema.json
            """)

    func run() { StandardOutput.write(FaultPlan.schema) }
}
