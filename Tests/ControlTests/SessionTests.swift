import Faults
import Foundation
import Notation
import Synchronization
import Testing
import Wire

@testable import Control

@Suite struct SessionTests {
    @Test func `tells that it is there, the seed and its description`() async throws {
        let fixture = try ControlFixture("rules: ['=> close']", seed: .max)
        try await fixture.run { client, server in
            #expect(server.token == nil)
            let health = try await client.ask("GET", "/v1/health").json
            #expect(health["status"]?.string == "ok")
            #expect(health["rules"] == .number("1"))
            let seed = try await client.ask("GET", "/v1/seed").json
            #expect(seed["seed"]?.string == "18446744073709551615")
            let description = try await client.ask("GET", "/v1/openapi.json").json
            #expect(description["openapi"]?.string == "3.1.0")
        }
    }

    @Test func `puts marks into session and trace`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let put = try await client.ask("POST", "/v1/marks", #"{"name":"off"}"#)
            #expect(put.status == 201)
            #expect(try put.json["at_ns"] == .number("5000000000"))
            #expect(
                try await client.ask("POST", "/v1/marks", "on", ["Content-Type": "text/plain"])
                    .status == 201)
            for bad in [#"{"name":""}"#, #"{"name":"a\nb"}"#] {
                #expect(try await client.ask("POST", "/v1/marks", bad).status == 422)
            }
            let listed = try await client.ask("GET", "/v1/marks").json
            guard case .array(let marks) = listed["marks"] else {
                Issue.record("no list")
                return
            }
            #expect(marks.map { $0["name"]?.string } == ["off", "on"])
        }
        #expect(fixture.marks.withLock { $0.map(\.name) } == ["off", "on"])
        #expect(fixture.session.marks.map(\.name) == ["off", "on"])
    }

    @Test func `fires an action on one connection or on all`() async throws {
        let fixture = try ControlFixture()
        fixture.connect()
        try await fixture.run { client, _ in
            let one = try await client.ask(
                "POST", "/v1/fire", #"{"action":"send 0:cv:?","connection":1}"#)
            #expect(one.status == 200)
            #expect(try one.json["connections"] == .array([.number("1")]))
            let all = try await client.ask("POST", "/v1/fire", #"{"action":"reset"}"#)
            #expect(try all.json["connections"] == .array([.number("1"), .number("2")]))
            let connections = try await client.ask("GET", "/v1/connections").json
            guard case .array(let open) = connections["connections"] else {
                Issue.record("no list")
                return
            }
            #expect(open.map { $0["server"] } == [.string("127.0.0.1:8000"), .null])
        }
        let fired = fixture.fired.withLock { $0 }
        #expect(fired.map(\.0.action.description) == ["send 0:cv:?", "reset"])
        #expect(fired.map(\.0.rule) == ["fire", "fire"])
        #expect(fired.map(\.1) == [ConnectionID(1), nil])
    }

    @Test(arguments: [
        (#"{"action":"send 0:index","connection":2}"#, 409, "felt-by-none"),
        (#"{"action":"send 0:index","connection":9}"#, 404, "no-connection"),
        (#"{"action":"drop"}"#, 422, "bad-action"),
        (#"{"action":"blackout"}"#, 422, "bad-action"),
        (#"{"action":"snd x"}"#, 422, "bad-action"),
        (#"{"action":"close","connection":0}"#, 400, "bad-field"),
        (#"{"action":"close","connection":"1"}"#, 400, "bad-field"),
        (#"{"connection":1}"#, 400, "missing-field"),
    ])
    func `refuses what can not be fired`(body: String, status: Int, code: String) async throws {
        let fixture = try ControlFixture()
        fixture.connect()
        try await fixture.run { client, _ in
            let answer = try await client.ask("POST", "/v1/fire", body)
            #expect(answer.status == status)
            #expect(try answer.json["error"]?["code"]?.string == code)
        }
    }

    @Test func `refuses unknown paths, methods and long bodies`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            #expect(try await client.ask("GET", "/").status == 404)
            #expect(try await client.ask("GET", "/v1/rules/").status == 404)
            #expect(try await client.ask("GET", "/v1/rules/%zz").status == 400)
            let other = try await client.ask("PATCH", "/v1/rules", "{}")
            #expect(other.status == 405)
            #expect(other.fields["allow"] == "GET, POST")
            let long = #"{"rule":"\#(String(repeating: "x", count: 1 << 20))"}"#
            #expect(try await client.ask("POST", "/v1/rules", long).status == 413)
            let chunk = "100001\r\n\(String(repeating: "x", count: 0x100001))\r\n0\r\n\r\n"
            let chunked = try await client.raw(
                Array(
                    ("POST /v1/rules HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n" + chunk).utf8))
            #expect(chunked.status == 413)
        }
    }

    @Test(arguments: [
        ("GARBAGE\r\n\r\n", 400, "bad-request"),
        ("GET /v1/rules HTTP/1.1\r\nbad header\r\n\r\n", 400, "bad-request"),
        ("POST /v1/rules HTTP/1.1\r\nContent-Length: 1, 2\r\n\r\n", 400, "bad-request"),
        (
            "GET /v1/rules/\(String(repeating: "x", count: 1 << 16)) HTTP/1.1\r\n\r\n", 431,
            "long-head"
        ),
        (
            "GET /v1/rules HTTP/1.1\r\nX: \(String(repeating: "x", count: 1 << 20))", 431,
            "long-head"
        ),
        (
            "GET /v1/rules HTTP/1.1\r\n\(String(repeating: "x: y\r\n", count: 101))\r\n", 431,
            "long-head"
        ),
    ])
    func `refuses what is no request, as it describes`(
        bytes: String, status: Int, code: String
    ) async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let answer = try await client.raw(Array(bytes.utf8))
            #expect(answer.status == status)
            #expect(try answer.json["error"]?["code"]?.string == code)
            let schema = try #require(OpenAPI.document["components"]?["schemas"]?["Error"])
            #expect(SchemaCheck.complaint(try answer.json, schema) == nil)
        }
    }

    @Test func `answers in the order of the requests, on one connection`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let names = ["a", "b", "c"]
            let requests = names.map { name in
                "POST /v1/marks HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
                    + "\(name == "c" ? "Connection: close\r\n" : "")"
                    + "Content-Length: 1\r\n\r\n\(name)"
            }
            let answer = try await client.raw(Array(requests.joined().utf8))
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.split(separator: "HTTP/1.1 201 ").count == 3)
            let reported = text.matches(of: /"name":"(.)"/).map { String($0.1) }
            #expect(reported == names)
        }
        #expect(fixture.session.marks.map(\.name) == ["a", "b", "c"])
    }
}

@Suite struct ReloadTests {
    private func configuration(_ fixture: ControlFixture) -> ControlConfiguration {
        var configuration = fixture.configuration()
        configuration.planFiles = ControlConfiguration.PlanFiles([fixture.plan]) {
            plans throws(FaultPlanError) in
            try plans[0].adding(line: "=> latency 1s name=line")
        }
        return configuration
    }

    private func write(_ text: String, _ fixture: ControlFixture) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: fixture.plan), options: .atomic)
    }

    @Test func `reads the plan again when asked, and keeps the old rules after a mistake`()
        async throws
    {
        let fixture = try ControlFixture("rules: ['=> close name=a']")
        try write("rules: ['=> close name=b']", fixture)
        try await fixture.run(configuration(fixture)) { client, _ in
            #expect(try await client.ask("POST", "/v1/reload").status == 200)
            #expect(fixture.session.rules.map(\.rule.name) == ["b", "line"])
            try write("rules:\n  - '=> clse'\n", fixture)
            let bad = try await client.ask("POST", "/v1/reload")
            #expect(bad.status == 422)
            #expect(try bad.json["error"]?["place"]?["line"] == .number("2"))
            try FileManager.default.removeItem(atPath: fixture.plan)
            #expect(try await client.ask("POST", "/v1/reload").status == 409)
            #expect(fixture.session.rules.map(\.rule.name) == ["b", "line"])
        }
    }

    @Test func `has nothing to read without a file`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let answer = try await client.ask("POST", "/v1/reload")
            #expect(answer.status == 409)
        }
    }

    @Test func `reads the plan when its file changed and the change is over`() async throws {
        let fixture = try ControlFixture("rules: ['=> close name=a']")
        let file = try #require(configuration(fixture).planFiles)
        let plan = PlanReloading(file, session: fixture.session) { text in
            fixture.notices.withLock { $0.append(text) }
        }
        func names() -> [String] { fixture.session.rules.map(\.rule.name) }
        await plan.look()
        #expect(fixture.notices.withLock { $0.count } == 1, "the file is missing")
        try write("rules: ['=> close name=b']", fixture)
        await plan.look()
        #expect(names() == ["a"], "it may still change")
        await plan.look()
        #expect(names() == ["b", "line"])
        #expect(fixture.notices.withLock { $0.count } == 2)
        let generation = fixture.session.generation
        await plan.look()
        #expect(fixture.session.generation == generation)
        try write("rules: ['=> clse name=c']", fixture)
        await plan.look()
        await plan.look()
        await plan.look()
        #expect(names() == ["b", "line"])
        let notices = fixture.notices.withLock { $0 }
        #expect(notices.count == 3)
        #expect(notices.last?.contains("plan.yaml:1:13: there is no action \"clse\"") == true)
    }

    @Test func `says nothing of a plan that it plays already`() async throws {
        let text = "rules: ['=> close name=b']"
        let fixture = try ControlFixture(text)
        try fixture.session.replace(
            FaultPlan.parse(yaml: text).adding(line: "=> latency 1s name=line"))
        try write(text, fixture)
        let generation = fixture.session.generation
        let plan = PlanReloading(
            try #require(configuration(fixture).planFiles), session: fixture.session
        ) { _ in Issue.record("nothing changed") }
        await plan.look()
        await plan.look()
        #expect(fixture.session.generation == generation)
    }
}
