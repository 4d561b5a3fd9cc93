import Faults
import Filters
import Notation
import Testing
import Wire

@testable import Control

private let line = "command:cv sender:client => cv-unknown first=1 name=no-history"

@Suite struct RuleTests {
    @Test func `adds a rule of one line and lists it with its counts`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let added = try await client.ask("POST", "/v1/rules", #"{"rule":"\#(line)"}"#)
            #expect(added.status == 201)
            #expect(added.fields["location"] == "/v1/rules/no-history")
            #expect(try added.json["rule"]?.string == line)
            let listed = try await client.ask("GET", "/v1/rules")
            #expect(listed.status == 200)
            guard case .array(let rules) = try listed.json["rules"] else {
                Issue.record("no list")
                return
            }
            #expect(rules.map { $0["name"]?.string } == ["no-history"])
            #expect(rules.first?["matched"] == .number("0"))
            #expect(rules.first?["planned"] == .bool(false))
        }
        #expect(fixture.session.rules.map(\.rule.name) == ["no-history"])
    }

    @Test(arguments: [
        (#"{"filter":"command:c","action":"error 440","schedule":"nth=2"}"#, "error 440 nth=2"),
        (
            #"{"filter":"command:c","action":{"kind":"error","code":440},"schedule":{"nth":[1,3]}}"#,
            "error 440 nth=1,3"
        ),
        (#"{"name":"x \ud83d\ude00/y","filter":"command:c","action":"drop"}"#, "drop"),
    ])
    func `adds a rule in parts`(body: String, action: String) async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let added = try await client.ask("POST", "/v1/rules", body)
            #expect(added.status == 201)
            #expect(try added.json["rule"]?.string?.contains("=> \(action)") == true)
            let path = try #require(added.fields["location"])
            #expect(try await client.ask("GET", path).status == 200)
            #expect(try await client.ask("DELETE", path).status == 204)
            #expect(try await client.ask("GET", path).status == 404)
        }
    }

    @Test func `gives a rule whose name is null a free one`() async throws {
        let fixture = try ControlFixture("rules: ['=> close name=rule-2']")
        try await fixture.run { client, _ in
            let added = try await client.ask(
                "POST", "/v1/rules", #"{"name":null,"filter":"command:c","action":"drop"}"#)
            #expect(added.status == 201)
            #expect(try added.json["name"]?.string == "rule-3")
            #expect(added.fields["location"] == "/v1/rules/rule-3")
            let text = try await client.ask(
                "POST", "/v1/rules", #"{"name":"null","filter":"command:c","action":"drop"}"#)
            #expect(try text.json["name"]?.string == "null")
        }
    }

    @Test func `adds a rule that is plain text and gives it a free name`() async throws {
        let fixture = try ControlFixture("rules: ['=> close name=rule-2']")
        try await fixture.run { client, _ in
            let added = try await client.ask(
                "POST", "/v1/rules", "command:c => drop\n", ["Content-Type": "text/plain"])
            #expect(try added.json["name"]?.string == "rule-3")
        }
    }

    @Test func `refuses a second rule of a name`() async throws {
        let fixture = try ControlFixture("rules: ['\(line)']")
        try await fixture.run { client, _ in
            let added = try await client.ask("POST", "/v1/rules", #"{"rule":"\#(line)"}"#)
            #expect(added.status == 409)
            #expect(try added.json["error"]?["code"]?.string == "duplicate-name")
        }
    }

    @Test func `changes a rule, and not to another name`() async throws {
        let fixture = try ControlFixture("rules: ['\(line)']")
        try await fixture.run { client, _ in
            let path = "/v1/rules/no-history"
            let changed = try await client.ask(
                "PUT", path, #"{"rule":"command:cv sender:client => cv-unknown first=7"}"#)
            #expect(changed.status == 200)
            #expect(try changed.json["schedule"]?.string == "first=7")
            let renamed = try await client.ask(
                "PUT", path, #"{"rule":"command:c => drop name=other"}"#)
            #expect(renamed.status == 422)
            let none = try await client.ask(
                "PUT", "/v1/rules/nobody", #"{"rule":"command:c => drop"}"#)
            #expect(none.status == 404)
        }
    }

    @Test func `pauses, resumes and resets one rule or all`() async throws {
        let fixture = try ControlFixture("rules: ['\(line)', 'command:c => drop name=other']")
        func states() -> [Bool] { fixture.session.rules.map(\.isPaused) }
        try await fixture.run { client, _ in
            let paused = try await client.ask("POST", "/v1/rules/other/pause")
            #expect(try paused.json["state"]?.string == "paused")
            #expect(states() == [false, true])
            #expect(try await client.ask("POST", "/v1/pause").status == 200)
            #expect(states() == [true, true])
            #expect(fixture.session.isIdle)
            #expect(try await client.ask("POST", "/v1/rules/other/resume").status == 200)
            #expect(states() == [true, false])
            #expect(try await client.ask("POST", "/v1/resume").status == 200)
            #expect(states() == [false, false])
            #expect(try await client.ask("POST", "/v1/rules/other/reset").status == 200)
            #expect(try await client.ask("POST", "/v1/reset").status == 200)
            for verb in ["pause", "resume", "reset"] {
                let answer = try await client.ask("POST", "/v1/rules/nobody/\(verb)")
                #expect(answer.status == 404)
            }
        }
    }

    @Test func `counts what rules matched and hit`() async throws {
        let fixture = try ControlFixture(
            "rules: ['=> close first=1 name=a', 'command:c => drop name=b']")
        let scope = FaultScope(connection: ConnectionID(1), client: "127.0.0.1", key: "")
        for _ in 0..<3 {
            _ = fixture.session.judge(Nothing(), phase: .connection, scope: scope, at: .zero)
        }
        try await fixture.run { client, _ in
            let counts = try await client.ask("GET", "/v1/counts").json
            #expect(counts["matched"] == .number("3"))
            #expect(counts["fired"] == .number("1"))
            #expect(counts["unmatched"] == .array([.string("b")]))
            _ = try await client.ask("POST", "/v1/reset")
            #expect(try await client.ask("GET", "/v1/counts").json["matched"] == .number("0"))
        }
    }

    @Test(arguments: [
        (#"{"rule":"command:c => 5O3"}"#, 422, "bad-rule", 13),
        (#"{"rule":"comand:c => 503"}"#, 422, "bad-rule", 0),
        (#"{"rule":"command:c"}"#, 422, "bad-rule", 9),
        (#"{"rule":"command:c => drop","name":"x"}"#, 400, "unknown-field", nil),
        (#"{"rule":5}"#, 400, "missing-field", nil),
        (#"{"rule":"#, 400, "bad-json", 8),
        ("[]", 400, "bad-json", nil),
        ("", 400, "bad-json", 0),
        (#"{"filter":"command:c"}"#, 422, "bad-rule", 0),
        (#"{"filter":"command:c","action":"drop","when":"now"}"#, 422, "bad-rule", 39),
    ])
    func `refuses what is no rule and says where`(
        body: String, status: Int, code: String, start: Int?
    ) async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let answer = try await client.ask("POST", "/v1/rules", body)
            #expect(answer.status == status)
            let error = try answer.json["error"]
            #expect(error?["code"]?.string == code)
            #expect(error?["hint"]?.string?.isEmpty == false)
            if let start {
                #expect(error?["place"]?["start"] == .number("\(start)"), "\(answer.body)")
            } else {
                #expect(error?["place"] == .null)
            }
        }
        #expect(fixture.session.rules.isEmpty)
    }
}
