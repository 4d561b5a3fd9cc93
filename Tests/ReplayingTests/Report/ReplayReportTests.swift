import Notation
import Replaying
import Testing
import Wire

struct ReplayReportTests {
    private let report = ReplayReport([
        .init(
            name: "HTTP", recorded: 5, matched: 3, missed: 3,
            misses: [
                .init(line: "GET /a?b=\"<1>\"", detail: "GET /a: different\n  closest: \u{1}"),
                .init(line: "GET /b"),
            ],
            unused: 2, unusedItems: [.init(line: "exchange 4, POST /c")])
    ])

    @Test func `text`() {
        #expect(
            report.text() == """
                HTTP: 3 of 5 matched, 3 missed, 2 never asked for
                  missed: GET /a: different
                    closest: \u{1}
                  missed: GET /b
                  … and 1 more
                  never asked for: exchange 4, POST /c
                  … and 1 more
                not satisfied

                """)
    }

    @Test func `JSON`() {
        let json = report.json()
        #expect(json["satisfied"]?.isSame(as: .bool(false)) == true)
        guard case .array(let sections)? = json["sections"] else {
            Issue.record("no sections")
            return
        }
        #expect(
            sections[0].text()
                == #"{"name":"HTTP","recorded":5,"matched":3,"missed":3,"unused":2,"notNeeded":0,"misses":[{"line":"GET /a?b=\"<1>\"","detail":"GET /a: different\n  closest: \u0001"},{"line":"GET /b"}],"unusedItems":[{"line":"exchange 4, POST /c"}],"bridged":0,"bridgedItems":[]}"#
        )
    }

    @Test(arguments: [false, true]) func `JUnit`(allowsUnused: Bool) {
        let text = report.junit(allowsUnused: allowsUnused)
        #expect(!text.contains("\u{1}"))
        // XML that can be read, with everything in its place.
        guard case .xml(let root) = Meaning(bytes(text)) else {
            Issue.record("not XML")
            return
        }
        #expect(root.name == "testsuites")
        guard case .element(let suite)? = root.content.first else {
            Issue.record("no suite")
            return
        }
        let counts = Dictionary(
            uniqueKeysWithValues: suite.attributes.map { ($0.name, $0.value) })
        #expect(counts["tests"] == "4")
        #expect(counts["failures"] == (allowsUnused ? "2" : "3"))
        #expect(counts["skipped"] == (allowsUnused ? "1" : "0"))
        #expect(suite.content.count == 5)
    }

    @Test func `JUnit has the same names in each run`() {
        func names(_ lines: [String]) -> [String] {
            let report = ReplayReport([
                .init(
                    name: "HTTP", recorded: 9, matched: 0, missed: lines.count,
                    misses: lines.map { .init(line: $0) }, unused: 0, unusedItems: [])
            ])
            let text = report.junit(properties: [("seed", "7")])
            #expect(text.contains(#"<property name="seed" value="7"/>"#))
            #expect(text.contains("nothing was matched"))
            return text.split(separator: "\n").filter { $0.contains("<testcase") }.map {
                String($0.split(separator: "\"")[3])
            }
        }
        let first = names([
            "exchange 4, POST /api/v2/a", "exchange 12, POST /api/v2/a",
            "GET /r?since=a-1&at=2026-01-02T10:00:01Z&v=2.0", "command 7, c note-1 {cv:0f3a}",
        ])
        #expect(
            first == [
                "matched", "exchange *, POST /api/v2/a", "exchange *, POST /api/v2/a #2",
                "GET /r?since=*&amp;at=*:*:*&amp;v=*", "command *, c * {cv:*}",
            ])
        let second = names([
            "exchange 5, POST /api/v2/a", "exchange 6, POST /api/v2/a",
            "GET /r?since=b7&at=2027-11-12T11:10:09Z&v=3.1", "command 9, c note-22 {cv:99}",
        ])
        #expect(first == second)
    }

    @Test func `not satisfied where nothing was compared`() {
        #expect(!ReplayReport().isSatisfied(allowsUnused: true))
        #expect(ReplayReport().text() == "not satisfied: nothing is recorded\n")
        #expect(ReplayReport().junit().contains("<failure message=\"nothing is recorded\"/>"))
        var idle = ReplayReport([
            .init(
                name: "HTTP", recorded: 3, matched: 0, missed: 0, misses: [], unused: 3,
                unusedItems: [])
        ])
        #expect(idle.isSatisfied(allowsUnused: true))
        idle.isIdle = true
        #expect(!idle.isSatisfied(allowsUnused: true))
        #expect(idle.text(allowsUnused: true).hasSuffix("not satisfied: nothing was requested\n"))
        idle.words = .client
        #expect(idle.text(allowsUnused: true).hasSuffix("not the same: nothing was answered\n"))
    }

    @Test func `satisfied only when nothing was missed and nothing left over`() {
        func section(_ missed: Int, _ unused: Int) -> ReplayReport {
            ReplayReport([
                .init(
                    name: "x", recorded: 1, matched: 1, missed: missed, misses: [], unused: unused,
                    unusedItems: [])
            ])
        }
        #expect(section(0, 0).isSatisfied())
        #expect(!section(1, 0).isSatisfied(allowsUnused: true))
        #expect(!section(0, 1).isSatisfied())
        #expect(section(0, 1).isSatisfied(allowsUnused: true))
        #expect(section(0, 1).text(allowsUnused: true).hasSuffix("\nsatisfied\n"))
    }

    @Test func `what the client bridged fails unless it is allowed`() {
        var section = ReplayReport.Section(
            name: "HTTP", recorded: 2, matched: 2, missed: 0, misses: [], unused: 0,
            unusedItems: [])
        section.bridged = 1
        section.bridgedItems = [
            .init(line: "exchange 1, GET /a", detail: "exchange 1, GET /a\n  answered 503")
        ]
        var report = ReplayReport([section])
        report.words = .client
        #expect(!report.isSatisfied())
        #expect(report.isSatisfied(allowsBridged: true))
        let lines = """
            HTTP: 2 of 2 the same, 0 different, 0 not played, 1 bridged
              bridged: exchange 1, GET /a
                answered 503

            """
        #expect(report.text() == lines + "not the same: the client bridged it\n")
        #expect(
            report.text(allowsBridged: true)
                == lines + "no difference but what the client bridged\n")
        #expect(report.json(allowsBridged: true)["satisfied"]?.isSame(as: .bool(true)) == true)
        #expect(report.junit().contains("<failure message=\"bridged\">"))
        #expect(report.junit(allowsBridged: true).contains("<skipped message=\"bridged\">"))
    }

    @Test func `what a model made needless is told, and no failure`() {
        let report = ReplayReport([
            .init(
                name: "HTTP", recorded: 3, matched: 1, missed: 0, misses: [], unused: 0,
                unusedItems: [], notNeeded: 2)
        ])
        #expect(
            report.text()
                == "HTTP: 1 of 3 matched, 0 missed, 0 never asked for, 2 not needed\nsatisfied\n")
    }

    @Test func `what replays say of themselves`() {
        var replay = Script([
            #"1> 0:init:{"name":"a","token":"secret"}"#, "1> 0:cv:1", "1> h:1",
        ]).replay(.lenient)
        _ = replay.handle(
            .received(socket: 1, text: bytes(#"0:init:{"name":"a"}"#)), at: second(1))
        let section = replay.section()
        #expect(section.recorded == 2)
        #expect(section.missed == 1)
        #expect(
            section.unusedItems.map(\.line) == [
                "command 1, connection 1, channel 0, init of a",
                #"command 2, connection 1, channel 0, cv {"cv":"1"}"#,
            ])
        #expect(!ReplayReport([section]).text().contains("secret"))
    }
}
