import ArgumentParser
import Diagnosis
import Foundation
import Testing
import Wire

@testable import tapedeck

/// The repository's own files, found from this one.
private let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
}

@Suite struct DocumentationTests {
    static let commands: [(name: String, help: String)] = [
        ("record", Tapedeck.helpMessage(for: RecordCommand.self, columns: 200)),
        ("ls", Tapedeck.helpMessage(for: ListCommand.self, columns: 200)),
        ("tail", Tapedeck.helpMessage(for: TailCommand.self, columns: 200)),
        ("show", Tapedeck.helpMessage(for: ShowCommand.self, columns: 200)),
        ("state", Tapedeck.helpMessage(for: StateCommand.self, columns: 200)),
        ("redirect", Tapedeck.helpMessage(for: RedirectCommand.self, columns: 200)),
        ("rebuild", Tapedeck.helpMessage(for: RebuildCommand.self, columns: 200)),
        ("merge", Tapedeck.helpMessage(for: MergeCommand.self, columns: 200)),
        ("pull", Tapedeck.helpMessage(for: PullCommand.self, columns: 200)),
        (
            "fleet",
            [
                Tapedeck.helpMessage(for: FleetRulesCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FleetDashboardCommand.self, columns: 200),
            ].joined()
        ),
        ("minimize", Tapedeck.helpMessage(for: MinimizeCommand.self, columns: 200)),
        ("reproduce", Tapedeck.helpMessage(for: ReproduceCommand.self, columns: 200)),
        ("retest", Tapedeck.helpMessage(for: RetestCommand.self, columns: 200)),
        ("inspect", Tapedeck.helpMessage(for: InspectCommand.self, columns: 200)),
        ("hold", Tapedeck.helpMessage(for: HoldCommand.self, columns: 200)),
        ("export", Tapedeck.helpMessage(for: ExportCommand.self, columns: 200)),
        ("import", Tapedeck.helpMessage(for: ImportCommand.self, columns: 200)),
        ("sniff", Tapedeck.helpMessage(for: SniffCommand.self, columns: 200)),
        ("diff", Tapedeck.helpMessage(for: DiffCommand.self, columns: 200)),
        (
            "faults",
            [
                Tapedeck.helpMessage(for: FaultsListCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsAddCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsChangeCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsRemoveCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsPauseCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsResumeCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsResetCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsMarkCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsMarksCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsFireCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsConnectionsCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsReloadCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsPacksCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsCheckCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsSchemaCommand.self, columns: 200),
                Tapedeck.helpMessage(for: FaultsReportCommand.self, columns: 200),
            ].joined()
        ),
        ("send", Tapedeck.helpMessage(for: SendCommand.self, columns: 200)),
        ("ship", Tapedeck.helpMessage(for: ShipCommand.self, columns: 200)),
        ("mcp", Tapedeck.helpMessage(for: MCPCommand.self, columns: 200)),
        ("addon", Tapedeck.helpMessage(for: AddonCommand.self, columns: 200)),
        ("diagnose", Tapedeck.helpMessage(for: DiagnoseCommand.self, columns: 200)),
        ("ca", Tapedeck.helpMessage(for: CACommand.self, columns: 200)),
        ("serve", Tapedeck.helpMessage(for: ServeCommand.self, columns: 200)),
        (
            "simperium",
            [
                Tapedeck.helpMessage(for: SimperiumDiffCommand.self, columns: 200),
                Tapedeck.helpMessage(for: SimperiumApplyCommand.self, columns: 200),
                Tapedeck.helpMessage(for: SimperiumTransformCommand.self, columns: 200),
                Tapedeck.helpMessage(for: SimperiumParseCommand.self, columns: 200),
            ].joined()
        ),
        (
            "client",
            [
                Tapedeck.helpMessage(for: ClientCommCareSubmit.self, columns: 200),
                Tapedeck.helpMessage(for: ClientCommCareSync.self, columns: 200),
                Tapedeck.helpMessage(for: ClientCommCareClaim.self, columns: 200),
                Tapedeck.helpMessage(for: ClientCommCareStatus.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumWatch.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumGet.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumSet.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumDelete.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumEdit.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumSync.self, columns: 200),
                Tapedeck.helpMessage(for: ClientSimperiumRun.self, columns: 200),
                Tapedeck.helpMessage(for: ClientHTTPRun.self, columns: 200),
            ].joined()
        ),
        (
            "certify",
            [
                Tapedeck.helpMessage(for: CertifySimperium.self, columns: 200),
                Tapedeck.helpMessage(for: CertifyCommCare.self, columns: 200),
                Tapedeck.helpMessage(for: CertifyDrive.self, columns: 200),
            ].joined()
        ),
        ("doctor", Tapedeck.helpMessage(for: DoctorCommand.self, columns: 200)),
        ("openrosa", Tapedeck.helpMessage(for: OpenRosaParseCommand.self, columns: 200)),
        (
            "replay",
            [
                Tapedeck.helpMessage(for: ReplayServerCommand.self, columns: 200),
                Tapedeck.helpMessage(for: ReplayClientCommand.self, columns: 200),
            ].joined()
        ),
    ]

    @Test func `knows all commands`() {
        let names = Tapedeck.configuration.subcommands.map { $0.configuration.commandName ?? "" }
        #expect(Self.commands.map { $0.name }.sorted() == names.sorted())
    }

    @Test(arguments: commands)
    func `documents every flag of a command and none besides`(name: String, help: String) throws {
        let page = try text("Sources/tapedeck/CommandLine.md")
        let section = try #require(
            page.components(separatedBy: "\n## ").first { $0.hasPrefix(name + "\n") },
            "CommandLine.md has no section \(name)")
        let declared = Set(flags(in: help)).subtracting(["--help", "--version"])
        #expect(declared.subtracting(flags(in: section)) == [], "not documented")
        let elsewhere: Set<String> = ["--to"]
        #expect(
            Set(flags(in: section)).subtracting(declared).subtracting(elsewhere) == [],
            "documented, and not there")
    }

    @Test func `has the overview of rules that the program prints`() throws {
        let page = try text("Sources/Diagnosis/Rules.md")
        #expect(page == RulePage.markdown(Rules.all), "run Tools/rules")
        let listed = page.matches(of: #/^\| `([a-z0-9.-]+)` \|/#.anchorsMatchLineEndings())
            .map { String($0.output.1) }
        #expect(listed == Rules.all.map(\.id))
        let duties = try #require(page.components(separatedBy: "## Duties").last)
        let due = duties.matches(of: #/\| `([a-z0-9.-]+)` \|$/#.anchorsMatchLineEndings())
            .map { String($0.output.1) }
        #expect(due == Duty.all.map(\.rule.id))
    }

    @Test(arguments: Rules.all) func `has a source of every rule that can be opened`(rule: Rule) {
        let sources = RulePage.sources(of: rule)
        #expect(sources.contains(".md#") || sources.contains("RFC "), "\(rule.source)")
        #expect(["http", "websocket"].contains(RuleTopic(of: rule).id) || sources.contains(".md#"))
    }

    @Test(arguments: Rules.all) func `explains every rule in full`(rule: Rule) {
        let page = RulePage.text(rule)
        #expect(page.hasPrefix("\(rule.severity.rawValue) \(rule.id), about the \(rule.blames)\n"))
        func words(_ text: String) -> String {
            text.split { $0.isWhitespace }.joined(separator: " ")
        }
        let facts = [
            rule.title, rule.source, rule.follows, rule.evidence, rule.expects, rule.silent,
        ]
        for fact in facts + [rule.cause].compactMap(\.self) {
            #expect(!fact.isEmpty && words(page).contains(words(fact)))
        }
        #expect(page.contains("  deadline: ") == (rule.deadlineNanoseconds != nil))
        #expect(page.contains("  minimum: ") == (rule.minimumNanoseconds != nil))
        #expect(page.contains("  duty after: ") == (Duty.of(rule) != nil))
        #expect(page.contains("  undecided: ") == (Duty.of(rule)?.undecided != nil))
    }

    private func flags(in text: String) -> [String] {
        text.matches(of: #/--[a-z][a-z-]*[a-z]/#).map { String($0.output) }
    }

    @Test(arguments: Failure.Status.allCases)
    func `documents every exit status`(status: Failure.Status) throws {
        #expect(try text("Sources/tapedeck/CommandLine.md").contains("| \(status.rawValue) |"))
    }

    @Test(arguments: Patch.Reason.allCases)
    func `documents every rewrite`(reason: Patch.Reason) throws {
        #expect(try text("Sources/tapedeck/CommandLine.md").contains("`\(reason.rawValue)`"))
    }

    @Test func `links to files that are there`() throws {
        for page in [
            "README.md", "Sources/tapedeck/CommandLine.md", "Sources/tapedeck/Mitmproxy.md",
        ] {
            let folder = root.appendingPathComponent(page).deletingLastPathComponent()
            for link in try text(page).matches(of: #/\]\(([^)#:]+)\)/#) {
                let file = folder.appendingPathComponent(String(link.output.1)).standardizedFileURL
                #expect(
                    FileManager.default.fileExists(atPath: file.path), "\(page): \(link.output.1)")
            }
        }
    }
}
