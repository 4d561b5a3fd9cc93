import ArgumentParser
import Faults
import Foundation
import Testing

@testable import tapedeck

@Suite struct HelpTests {
    @Test func `has topics that are not empty, sorted, and unlike commands`() {
        let names = HelpTopic.all.map(\.name)
        let commands = Tapedeck.configuration.subcommands.compactMap {
            $0.configuration.commandName
        }
        #expect(names == names.sorted() && Set(names).intersection(commands) == ["faults"])
        for topic in HelpTopic.all { #expect(topic.text.count > 500, "\(topic.name)") }
        for topic in ["filters", "faults", "exit-status", "environment", "mitmproxy"] {
            #expect(names.contains(topic))
        }
    }

    @Test func `explains a topic, leaves commands to the parser, and corrects others`() throws {
        let commands = ["record", "ls"]
        #expect(
            try HelpTopic.text(["help", "exit-status"], commands: commands)?.contains("| 64 |")
                == true)
        for arguments in [["help"], ["help", "record"], ["ls", "filters"], ["help", "--help"]] {
            #expect(try HelpTopic.text(arguments, commands: commands) == nil, "\(arguments)")
        }
        let both = try HelpTopic.text(["help", "faults"], commands: ["faults"])
        #expect(both?.hasSuffix("\nCommands: tapedeck faults --help\n") == true)
        do throws(Failure) {
            _ = try HelpTopic.text(["help", "filter"], commands: commands)
            Issue.record("there is no such topic")
        } catch { #expect(error.detail.hasSuffix("did you mean filters?")) }
    }

    @Test(arguments: [
        (["recrod", "x"], "there is no command tapedeck recrod; did you mean record?"),
        (["faults", "chek"], "there is no command tapedeck faults chek; did you mean check?"),
        (["record", "x", "-p", "8080"], "tapedeck record has no -p: use --listen HOST:PORT"),
        (
            ["record", "--mode=reverse:http://h", "x"],
            "tapedeck record has no --mode: use --to URL"
        ),
        (
            ["replay", "server", "x", "--port", "1"],
            "tapedeck replay server has no --port: use --listen"
        ),
        (["ls", "x", "-status:200"], "write 'not status:200'"),
    ])
    func `corrects names and habits`(arguments: [String], text: String) {
        let failure = CommandWords.mistake(in: arguments, of: Tapedeck.self)
        #expect(
            failure?.status == .usage && failure?.detail.contains(text) == true,
            "\(failure?.detail ?? "")")
    }

    @Test(arguments: [
        [], ["--version"], ["help"], ["record", "x", "--", "curl", "-p"], ["faults", "--help"],
        ["ls", "x", "status:200"], ["ls", "x", "--limit", "1"], ["certify"], ["diagnose", "-h"],
    ])
    func `leaves the rest to the parser`(arguments: [String]) {
        #expect(CommandWords.mistake(in: arguments, of: Tapedeck.self) == nil)
    }

    @Test func `writes usage errors in one line`() {
        let line = CommandWords.usage(
            "The value '127.0.0.1:99999' is invalid for '--listen <host:port>'\n  Help: x.",
            ["record", "x"], of: Tapedeck.self)
        #expect(
            line == "The value '127.0.0.1:99999' is invalid for '--listen <host:port>' Help: x"
                + ": a port is at most 65535; see tapedeck record --help")
        let values = CommandWords.usage(
            "Please provide one of the following:\n  - a\n  - b", ["ca"], of: Tapedeck.self)
        #expect(values == "Please provide one of the following: a, b; see tapedeck ca --help")
        let missing = CommandWords.usage(
            "Missing value for '--seed <n>'", ["faults", "check", "--seed", "-1"], of: Tapedeck.self
        )
        #expect(
            missing.hasSuffix(
                "-1 begins like an option; write it after =; see tapedeck faults check --help"))
    }

    @Test func `completes what the program knows`() throws {
        #expect(Completion.filters("api:commcare.restor") == ["api:commcare.restore"])
        #expect(Completion.filters("status:503 bucke") == ["status:503 bucket:"])
        #expect(Completion.filters("").count > 20)
        #expect(Completion.rules("commcare.retry.at-o") == ["commcare.retry.at-once"])
        #expect(Completion.plans("captive") == ["captive-portal"])
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("completion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["b.yaml", "a.yaml", "other"] {
            try Data().write(to: folder.appendingPathComponent(name))
        }
        let prefix = folder.path + "/"
        #expect(Completion.plans(prefix + "a") == [prefix + "a.yaml"])
        #expect(
            Completion.files(prefix).map { String($0.dropFirst(prefix.count)) } == [
                "a.yaml", "b.yaml", "other",
            ])
        #expect(Completion.rows(["tapedeck", "show", "no-such.tape"], "").isEmpty)
    }

    @Test(arguments: [
        ("~m POST & ~u restore", "method:POST and url~restore"),
        ("~c 503 | !(~d a.example)", "status:503 or not (host~a.example)"),
        ("method:POST & status:5xx", "method:POST and status:5xx"),
    ])
    func `translates filters of mitmproxy`(text: String, own: String) {
        #expect(MitmproxyFilter.translated(text) == own)
    }

    @Test(arguments: ["~x foo", "~m", "status:503", "(", "plain words"])
    func `translates no other filter`(text: String) {
        #expect(MitmproxyFilter.translated(text) == nil)
    }

    @Test func `advises options that are there`() throws {
        let record = Tapedeck.helpMessage(for: RecordCommand.self, columns: 200)
        for habit in CommandWords.habits {
            for option in habit.options { #expect(!record.contains(" \(option) "), "\(option)") }
            for flag in habit.advice.matches(of: #/--[a-z-]+/#) {
                #expect(record.contains(flag.output), "\(flag.output)")
            }
        }
    }

    @Test(arguments: TrustGuide.allCases) func `has steps for a platform`(guide: TrustGuide) {
        let text = guide.text(.init(pem: "/my folder/a.pem", der: "/my folder/a.der"))
        #expect(text.contains("8080"))
        #expect(text.contains("/my folder/a.") && text.hasSuffix("\n\n") == false)
        if guide != .firefox { #expect(text.contains("'/my folder/a.")) }
    }

    @Test func `warns of an api that is not there`() throws {
        func warnings(_ rule: String) throws -> [String] {
            APINames.warnings(try FaultPlan().adding(line: rule))
        }
        let wrong = try warnings("api:commcare.restor => 503")
        #expect(
            wrong.count == 1 && wrong.first?.contains("did you mean commcare.restore") == true)
        #expect(try warnings("api:{commcare.restore,nothing} => 503").count == 1)
        for rule in [
            "api:commcare.* => 503", "api:commcare.restore => 503", "path:/api => 503",
            "api:simperium.auth => 503",
        ] {
            #expect(try warnings(rule).isEmpty, "\(rule)")
        }
        #expect(try warnings("api:x* => 503").count == 1)
    }
}
