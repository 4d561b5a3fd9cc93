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
                == #"{"name":"HTTP","recorded":5,"matched":3,"missed":3,"unused":2,"notNeeded":0,"misses":[{"line":"GET /a?b=\"<1>\"","detail":"GET /a: different\n  closest: \u0001"},{"line":"GET /b"}],"unusedItems":[{"line":"exchange 4, POST /c"}]}"#
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

    @Test func `satisfied only when nothing was missed and nothing left over`() {
        func section(_ missed: Int, _ unused: Int) -> ReplayReport {
            ReplayReport([
                .init(
                    name: "x", recorded: 1, matched: 1, missed: missed, misses: [], unused: unused,
                    unusedItems: [])
            ])
        }
        #expect(ReplayReport().isSatisfied())
        #expect(section(0, 0).isSatisfied())
        #expect(!section(1, 0).isSatisfied(allowsUnused: true))
        #expect(!section(0, 1).isSatisfied())
        #expect(section(0, 1).isSatisfied(allowsUnused: true))
        #expect(section(0, 1).text(allowsUnused: true).hasSuffix("\nsatisfied\n"))
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
