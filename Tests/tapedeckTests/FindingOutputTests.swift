import Dissection
import Foundation
import FoundationXML
import Sessions
import Testing
import Wire

@testable import Diagnosis
@testable import Trace
@testable import tapedeck

@Suite struct FindingOutputTests {
    private static let rule = Rule(
        "simperium.test.example", .error, title: "A client does what is expected.",
        source: "Section 3: \"do as expected\".", follows: "nothing", evidence: "A command.",
        expects: "Something else.", silent: "Never.", cause: "It counts code points.")
    private static let other = Rule(
        "http.example", .info, blames: .server, title: "A server answers.", source: "RFC 9110",
        follows: "nothing", evidence: "A response.", expects: "An answer.", silent: "Never.")

    private func finding(
        _ rule: Rule = rule, client: String = "phone-1", topic: String = "notes/note1",
        detail: String = "The client phone-1 sent note1 with sv 3 where \"4\" was reported.",
        at: Int64 = 2
    ) -> Finding {
        let place = Place(chunk: ChunkID(4), offset: 0)
        var first = FindingStep(
            at: Instant(nanoseconds: 1_500_000_000), "it was asked <this>",
            quote: "0:c:{\u{1B}[31m}",
            place: place)
        first.command = CommandID(12)
        var last = FindingStep(
            at: Instant(nanoseconds: at * 1_000_000_000), "and did that", quote: "GET / & more")
        last.exchange = ExchangeID(7)
        return Finding(
            rule, connection: ConnectionID(1), client: client, topic: topic, detail: detail,
            steps: [first, last])
    }

    @Test func `tells a finding in a paragraph`() {
        let text = FindingText.paragraph(finding(), hasColour: false)
        #expect(
            text == """
                error simperium.test.example  2.000 s  client phone-1  notes/note1
                  The client phone-1 sent note1 with sv 3 where "4" was reported.
                    1.500  command c12  it was asked <this>
                                        0:c:{\u{FFFD}[31m}
                    2.000  exchange 7   and did that
                                        GET / & more
                  expected: Something else.
                  source: Section 3: "do as expected".
                  likely cause: It counts code points.

                """)
        #expect(FindingText.paragraph(finding(), hasColour: true).hasPrefix("\u{1B}[31merror"))
    }

    @Test func `folds further findings of a rule into a line each`() {
        var findings = [
            finding(), finding(Self.other), finding(client: "phone-2", at: 3), finding(at: 4),
        ]
        for index in findings.indices {
            findings[index].number = FindingNumber(session: SessionID(1), place: index + 1)
        }
        let groups = DiagnosisReport.byRule(findings)
        #expect(groups.map(\.count) == [3, 1])
        let text = FindingText.repeats(Array(groups[0].dropFirst()))
        #expect(
            text.hasPrefix(
                """
                  2 more findings of simperium.test.example:
                    f3  3.000 s  phone-2  exchange 7: The client phone-1 sent note1 with sv 3 where "4"
                """), "\(text)")
        #expect(text.contains("\n    f4  4.000 s  phone-1  exchange 7: "))
        #expect(!text.contains("expected"))
        #expect(FindingText.repeats([]) == "")
    }

    @Test func `writes times of the clock`() {
        var column = TimeColumn(.clock)
        column.learn([
            SessionDetail(
                id: SessionID(1), startedUnixNanoseconds: 0, provenance: "proxy", version: "",
                arguments: "", seed: nil, endedAt: nil, ended: nil)
        ])
        let times = FindingTimes(.clock, column, in: SessionID(1))
        let text = FindingText.paragraph(finding(), times, hasColour: false)
        #expect(text.contains(":02.000  client phone-1") && text.contains(":01.500  command c12"))
    }

    @Test func `tells the number of a finding`() throws {
        var numbered = finding()
        numbered.number = FindingNumber(session: SessionID(2), place: 12)
        let text = FindingText.paragraph(numbered, hasColour: false)
        #expect(text.hasPrefix("error simperium.test.example  f2.12  2.000 s  client phone-1"))
        for (line, number) in [(finding(), nil), (numbered, "f2.12")] {
            let object = try #require(
                JSONSerialization.jsonObject(
                    with: Data(FindingJSON.line(line, session: SessionID(2)).utf8))
                    as? [String: Any])
            #expect(object["number"] as? String == number)
        }
    }

    @Test func `breaks lines between words`() {
        let text = FindingText.wrapped(String(repeating: "words ", count: 40), "  a: ", "    ")
        #expect(text.count == 3)
        #expect(text.allSatisfy { $0.count <= 100 })
        #expect(text[0].hasPrefix("  a: words") && text[1].hasPrefix("    words"))
    }

    @Test func `writes an object for a finding`() throws {
        let line = FindingJSON.line(finding(), session: SessionID(3))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        for name in [
            "rule", "severity", "message", "expected", "source", "blames", "client", "cause",
        ] {
            #expect(object[name] is String, "\(name)")
        }
        #expect(object["session"] as? Int == 3)
        #expect(object["times"] as? Int == 1)
        #expect(object["at"] as? Int == 2_000_000_000)
        let evidence = try #require(object["evidence"] as? [[String: Any]])
        #expect(evidence.map { $0["command"] as? Int } == [12, nil])
        #expect(evidence.map { $0["exchange"] as? Int } == [nil, 7])
        #expect(evidence.map { $0["quote"] as? String } == ["0:c:{\u{1B}[31m}", "GET / & more"])
    }

    /// What the schema of SARIF 2.1.0 requires of the objects that are written.
    @Test func `writes SARIF as its schema asks`() throws {
        let text = FindingSARIF.text(
            [(SessionID(1), [finding(), finding(Self.other, at: 3)])],
            rules: [Self.other, Self.rule], trace: "/a folder/b.tape")
        let log = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "tapedeck")
        let rules = try #require(driver["rules"] as? [[String: Any]])
        #expect(rules.map { $0["id"] as? String } == ["http.example", "simperium.test.example"])
        for rule in rules {
            for name in ["shortDescription", "fullDescription", "help"] {
                let message = try #require(rule[name] as? [String: Any])
                #expect((message["text"] as? String)?.isEmpty == false)
            }
        }
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["level"] as? String } == ["error", "note"])
        #expect(results.map { $0["ruleIndex"] as? Int } == [1, 0])
        for result in results {
            let message = try #require(result["message"] as? [String: Any])
            #expect(message["text"] is String)
            let locations = try #require(result["locations"] as? [[String: Any]])
            let flows = try #require(result["codeFlows"] as? [[String: Any]])
            let threads = try #require(flows.first?["threadFlows"] as? [[String: Any]])
            let steps = try #require(threads.first?["locations"] as? [[String: Any]])
            #expect(steps.count == 2)
            for location in locations + steps.compactMap({ $0["location"] as? [String: Any] }) {
                let place = try #require(location["physicalLocation"] as? [String: Any])
                let artifact = try #require(place["artifactLocation"] as? [String: Any])
                #expect(artifact["uri"] as? String == "file:///a%20folder/b.tape")
                #expect(artifact["index"] as? Int == 0 && artifact["uriBaseId"] == nil)
                let region = try #require(place["region"] as? [String: Any])
                #expect([7, 12].contains(region["startLine"] as? Int))
            }
            #expect(result["partialFingerprints"] is [String: String])
        }
        #expect((run["artifacts"] as? [Any])?.count == 1)
    }

    @Test func `names a trace below the working folder as code scanning wants it`() throws {
        let text = FindingSARIF.text(
            [(SessionID(1), [finding()])], rules: [Self.rule], trace: "traces/./a b.tape")
        let uri =
            #""artifactLocation":{"uri":"traces/a%20b.tape","uriBaseId":"%SRCROOT%","index":0}"#
        #expect(text.contains(uri))
        #expect(text.contains(#""originalUriBaseIds":{"%SRCROOT%":{"uri":"file:///"#))
    }

    @Test func `skips rules that nothing could have broken, and gives the rows as properties`() {
        var numbered = finding()
        numbered.number = FindingNumber(session: SessionID(1), place: 3)
        let counts = EvidenceCounts(exchanges: 3, kinds: ["http"])
        let rules = [Self.other, Self.rule]
        let empty = FindingJUnit.text(
            [(SessionID(1), [])], counts: [SessionID(1): counts], seeds: [SessionID(1): 42],
            rules: rules, fails: FailOn.error.includes)
        #expect(empty.contains(#"tests="2" failures="0" errors="0" skipped="1""#))
        #expect(
            empty.contains(
                #"name="http.example" time="0"><properties><property name="rule" value="http.example"/>"#
            ))
        #expect(empty.contains(#"<properties><property name="seed" value="42"/></properties>"#))
        #expect(empty.contains("<skipped message=\"not exercised: "))
        let broken = FindingJUnit.text(
            [(SessionID(1), [numbered])], counts: [SessionID(1): counts], rules: rules,
            fails: FailOn.error.includes)
        #expect(broken.contains(#"failures="1" errors="0" skipped="0""#))
        #expect(
            broken.contains(
                #"<property name="finding" value="f3 phone-1 2.000 s: command c12, exchange 7"/>"#
            ))
    }

    @Test func `writes a summary of a job in Markdown`() {
        let late = finding(at: 5)
        let end = Instant(nanoseconds: late.at.nanoseconds + 3_000_000_000)
        let duty = UndecidedDuty(late, endedAt: end, Patience())
        let odd = finding(detail: "It sent a|b <script> and ```` *then* stopped.")
        let text = FindingMarkdown.text(
            [(SessionID(1), [odd])], undecided: [SessionID(1): [duty]],
            summary: "1 finding: 1 error", trace: "a.tape")
        #expect(
            text.hasPrefix("### tapedeck diagnose a.tape\n\n1 finding: 1 error.\n\n| Severity |"))
        #expect(text.contains("| It sent a\\|b &lt;script> and \\`\\`\\`\\` \\*then\\* stopped. |"))
        #expect(text.contains("\n| undecided | simperium.test.example |  |"))
        #expect(
            text.contains("<details><summary>simperium.test.example</summary>\n\n`````text\nerror"))
        #expect(text.hasSuffix("\n`````\n\n</details>\n"))
        #expect(
            FindingMarkdown.text([], undecided: [:], summary: "no rule was broken", trace: "b")
                == "### tapedeck diagnose b\n\nno rule was broken.\n")
    }

    @Test func `writes a test case for every rule`() throws {
        let rules = [Self.other, Self.rule]
        let findings = [finding(), finding(at: 9), finding(Self.other)]
        let text = FindingJUnit.text(
            [(SessionID(1), findings), (SessionID(2), [])], rules: rules,
            fails: FailOn.warning.includes)
        #expect(text.contains(#"<testsuite name="session 1" tests="2" failures="1""#))
        #expect(text.contains(#"<testsuite name="session 2" tests="2" failures="0""#))
        #expect(text.contains(#"classname="simperium.test" name="simperium.test.example""#))
        #expect(text.contains("(and 1 more)") && text.contains("it was asked &lt;this&gt;"))
        #expect(text.components(separatedBy: "<failure ").count == 2)
        #expect(text.components(separatedBy: "<system-out>").count == 2)
        let parser = XMLParser(data: Data(text.utf8))
        #expect(parser.parse())
    }

    @Test func `says what could not be decided, and is no finding`() throws {
        let late = finding(at: 5)
        let end = Instant(nanoseconds: late.at.nanoseconds + 3_000_000_000)
        let duty = UndecidedDuty(late, endedAt: end, Patience())
        let page = FindingText.paragraph(duty)
        #expect(page.hasPrefix("undecided simperium.test.example  "))
        #expect(page.contains("The recording ended 3 s after the last step."), "\(page)")
        #expect(page.contains("  expected: "))
        let line = try #require(
            JSONSerialization.jsonObject(
                with: Data(FindingJSON.line(duty, session: SessionID(2)).utf8)) as? [String: Any])
        #expect(line["kind"] as? String == "undecided" && line["severity"] == nil)
        #expect(line["waited_ns"] as? Int == 3_000_000_000)
        #expect(line["message"] as? String == Self.rule.title)
        let summary = FindingText.summary([], undecided: [duty])
        #expect(summary == "no rule was broken; 1 could not be decided")
        let open = [SessionID(1): [duty]]
        let text = FindingJUnit.text(
            [(SessionID(1), [])], undecided: open, rules: [Self.other, Self.rule],
            fails: FailOn.undecided.includes)
        #expect(
            text.contains("skipped=\"1\"") && text.components(separatedBy: "<skipped ").count == 2)
        let log = try #require(
            JSONSerialization.jsonObject(
                with: Data(
                    FindingSARIF.text(
                        [(SessionID(1), [])], undecided: open, rules: [Self.rule], trace: "a.tape"
                    ).utf8)) as? [String: Any])
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["kind"] as? String } == ["open"])
        #expect(results.map { $0["level"] as? String } == ["none"])
    }

    @Test func `knows a finding of another client again`() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("baseline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try JUnitFile.write(FindingBaseline.text([finding(), finding()]), to: path)
        let baseline = try FindingBaseline(path: path)
        #expect(baseline.knows(finding()))
        #expect(
            baseline.knows(
                finding(
                    client: "tablet", topic: "notes/other",
                    detail: "The client tablet sent other with sv 17 where \"18\" was reported.",
                    at: 99
                ))
        )
        #expect(!baseline.knows(finding(topic: "tags/note1")))
        #expect(!baseline.knows(finding(detail: "The client stopped.")))
        #expect(!baseline.knows(finding(Self.other)))
        for end in ["\n", "\r\n"] {
            try JUnitFile.write("# all of one\(end)http.example # for now\(end)", to: path)
            #expect(try FindingBaseline(path: path).knows(finding(Self.other)))
        }
        #expect(throws: Failure.self) {
            try JUnitFile.write("what is this\n", to: path)
            _ = try FindingBaseline(path: path)
        }
    }

    @Test func `refuses names of rules that are not there`() throws {
        let known = try #require(Rules.all.first)
        let area = known.id.prefix { $0 != "." }
        let choice = try RuleChoice(wanted: ["\(area).*"], ignored: [known.id], blamed: nil)
        #expect(!choice.takes(known))
        #expect(choice.rules.allSatisfy { $0.id.hasPrefix("\(area).") })
        let server = try RuleChoice(wanted: [], ignored: [], blamed: .server)
        #expect(server.rules.allSatisfy { $0.blames == .server })
        #expect(throws: Failure.self) {
            _ = try RuleChoice(wanted: ["nothing.*"], ignored: [], blamed: nil)
        }
        do throws(Failure) {
            _ = try RuleChoice.rule(String(known.id.dropLast()))
            Issue.record("there is such a rule")
        } catch {
            #expect(error.status == .usage && error.detail.contains("did you mean"))
            #expect(error.detail.contains(known.id))
        }
    }

    @Test func `names severities from which it fails`() {
        typealias Severity = FindingRow.Severity
        let all = Severity.allCases
        #expect(all.filter(FailOn.error.includes) == [.error])
        #expect(all.filter(FailOn.warning.includes) == [.error, .warning])
        #expect(all.filter(FailOn.info.includes) == [.error, .warning, .info])
        #expect(all.filter(FailOn.never.includes) == [])
    }
}
