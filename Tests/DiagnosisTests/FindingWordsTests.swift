import Testing
import Wire

@testable import Diagnosis

/// What can be checked of the texts of all findings without reading them.
@Suite struct FindingWordsTests {
    static let simperium: [RuleCase] =
        SyncingCases.all + ServerCases.all + AnswerCases.all + DiffCases.all + VersionCases.all
        + OpeningCases.all + SessionFormCases.client + SessionFormCases.server + EditCases.all
        + FormCases.all + FindingGroupCases.all
    static let others: [RuleCase] =
        CommCareSessionTests.cases + HTTPCases.all + WebSocketCases.all + CommCareAnswerCases.all
        + CommCareRequestCases.all
    static let all = (simperium + others).filter { $0.kind == .breaks }

    /// Words that a reader does not know, or that are no words.
    private static var forbidden: [Regex<Substring>] {
        [
            /\b0(?:\.\d+)? s\b/, /\d\. time/, /\(s\)/, /``/, /\bis told\b|\bwas told\b|\btold of\b/,
            /\blet go\b|\blets go\b/, /\bour own fault\b/, /\bmade up\b/, /\bstood between\b/,
            /(?:^| )1 (?:cases|forms|entries|changes|times|objects|connections|files|blocks|requests)\b/,
        ]
    }

    /// Clients whose mistakes are no cause for others'.
    private static var clients: Regex<Substring> {
        /(?i)node-simperium|simperium-(?:js|ios|android)|go-simperium|\biOS\b/
    }

    @Test(arguments: all) func `can be read by those who wrote the client`(_ example: RuleCase) {
        for finding in example.script.findings() where finding.rule == example.rule {
            let texts =
                [finding.detail, finding.expected, finding.cause ?? ""]
                + finding.steps.map(\.detail)
            for text in texts {
                for word in Self.forbidden {
                    #expect(!text.contains(word), "\(finding.rule.id): \(text)")
                }
            }
            #expect(finding.detail.hasSuffix("."), "\(finding.detail)")
            #expect(!finding.expected.isEmpty && !finding.steps.isEmpty)
            #expect(finding.steps.allSatisfy { !$0.detail.isEmpty })
            #expect(finding.cause?.contains(Self.clients) != true, "\(finding.cause ?? "")")
            checkQuotes(finding)
            checkSteps(finding)
        }
    }

    /// Quotes in a sentence end where what they quote ends, or with `…`.
    private func checkQuotes(_ finding: Finding) {
        let parts = finding.detail.split(separator: "`", omittingEmptySubsequences: false)
        #expect(parts.count % 2 == 1, "\(finding.detail)")
        for (number, part) in parts.enumerated()
        where number % 2 == 1 && finding.rule.id.hasPrefix("simperium.change") {
            guard let first = part.first, "{[".contains(first) else { continue }
            #expect(part.last == (first == "{" ? "}" : "]") || part.last == "…", "\(part)")
        }
    }

    /// The evidence is in order of time and has each row once.
    private func checkSteps(_ finding: Finding) {
        #expect(Set(finding.steps).count == finding.steps.count, "\(finding.rule.id)")
        guard finding.rule.id.contains(".story.") else { return }
        let times = finding.steps.map(\.at)
        #expect(times == times.sorted(), "\(finding.rule.id)")
    }

    @Test(arguments: [
        (#"{"a":[1,"}"],"b":2},"c":3"#, 0, #"{"a":[1,"}"],"b":2}"#),
        (#"{"k":"a\"b","n":1}"#, 5, #""a\"b""#), (#"{"k":"cut"#, 5, #""cut"#),
        (#"{"n":12,"m":3}"#, 5, "12"), (#"[1]"#, 9, ""),
    ])
    func `a quote ends where the value ends`(text: String, offset: Int, value: String) {
        let bytes = Array(text.utf8)
        let range = Quote.value(in: bytes, at: offset)
        #expect(String(decoding: bytes[range], as: UTF8.self) == value)
    }

    @Test func `the harm is known where the catalogue has the mistake`() {
        for rule in Rules.all where Harm.entry(of: rule.source) != nil {
            #expect(rule.harm?.hasSuffix(".") == true, "\(rule.id)")
            #expect(rule.harm?.contains("As ") != true, "\(rule.id)")
        }
    }

    @Test func `numbers have their endings`() {
        #expect(
            [1, 2, 3, 4, 11, 12, 13, 21, 112].map(Words.ordinal) == [
                "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
            ])
        #expect([Words.count(1, "case"), Words.count(2, "case")] == ["1 case", "2 cases"])
    }

    @Test func `a group counts the parts that came after it was made`() throws {
        let example = try #require(
            FindingGroupCases.all.first {
                $0.rule.id == "simperium.story.lost-edit" && $0.kind == .breaks
            })
        let finding = try #require(
            example.script.findings().first { $0.rule == example.rule })
        let lost = finding.steps.count { $0.detail.hasPrefix("sent, and not answered") }
        #expect(finding.detail == "\(lost) edits of the client were lost.")
    }

    @Test func `of an init without library or version the wrong one is named`() throws {
        func detail(_ rest: String) throws -> String {
            var script = SessionScript()
            let socket = script.socket(at: 0)
            script.client(socket, SessionScript.initiation(rest: rest), at: 1)
            return try #require(
                script.findings().first { $0.rule == SimperiumSessionRules.initWithoutLibrary }
            ).detail
        }
        let zero = try detail(#","library":"android","version":0"#)
        #expect(zero.contains("names the library android, and its version 0 has to be above 0"))
        #expect(try detail("").contains("names no library and no version"))
        #expect(try detail(#","library":"android""#).contains("android and no version"))
    }
}
