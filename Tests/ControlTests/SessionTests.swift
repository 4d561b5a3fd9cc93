import Faults
import Foundation
import Notation
import Synchronization
import Testing
import Wire

@testable import Control

@Suite struct SessionTests {
    @Test func `tells that it is there, the seed and its description`() async throws {
        let desk = try Desk("rules: ['=> close']", seed: .max)
        try await desk.run { client, server in
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
        let desk = try Desk()
        try await desk.run { client, _ in
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
        #expect(desk.marks.withLock { $0.map(\.name) } == ["off", "on"])
        #expect(desk.session.marks.map(\.name) == ["off", "on"])
    }

    @Test func `fires an action on one connection or on all`() async throws {
        let desk = try Desk()
        desk.connect()
        try await desk.run { client, _ in
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
        let fired = desk.fired.withLock { $0 }
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
        let desk = try Desk()
        desk.connect()
        try await desk.run { client, _ in
            let answer = try await client.ask("POST", "/v1/fire", body)
            #expect(answer.status == status)
            #expect(try answer.json["error"]?["code"]?.string == code)
        }
    }

    @Test func `refuses unknown paths, methods and long bodies`() async throws {
        let desk = try Desk()
        try await desk.run { client, _ in
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
}

@Suite struct ReloadTests {
    private func configuration(_ desk: Desk) -> ControlConfiguration {
        var configuration = desk.configuration()
        configuration.planFiles = ControlConfiguration.PlanFiles([desk.plan]) {
            plans throws(FaultPlanError) in
            try plans[0].adding(line: "=> latency 1s name=line")
        }
        return configuration
    }

    private func write(_ text: String, _ desk: Desk) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: desk.plan), options: .atomic)
    }

    @Test func `reads the plan again when asked, and keeps the old rules after a mistake`()
        async throws
    {
        let desk = try Desk("rules: ['=> close name=a']")
        try write("rules: ['=> close name=b']", desk)
        try await desk.run(configuration(desk)) { client, _ in
            #expect(try await client.ask("POST", "/v1/reload").status == 200)
            #expect(desk.session.rules.map(\.rule.name) == ["b", "line"])
            try write("rules:\n  - '=> clse'\n", desk)
            let bad = try await client.ask("POST", "/v1/reload")
            #expect(bad.status == 422)
            #expect(try bad.json["error"]?["place"]?["line"] == .number("2"))
            try FileManager.default.removeItem(atPath: desk.plan)
            #expect(try await client.ask("POST", "/v1/reload").status == 409)
            #expect(desk.session.rules.map(\.rule.name) == ["b", "line"])
        }
    }

    @Test func `has nothing to read without a file`() async throws {
        let desk = try Desk()
        try await desk.run { client, _ in
            let answer = try await client.ask("POST", "/v1/reload")
            #expect(answer.status == 409)
        }
    }

    @Test func `reads the plan when its file changed and the change is over`() async throws {
        let desk = try Desk("rules: ['=> close name=a']")
        let file = try #require(configuration(desk).planFiles)
        let plan = PlanReloading(file, session: desk.session) { text in
            desk.notices.withLock { $0.append(text) }
        }
        func names() -> [String] { desk.session.rules.map(\.rule.name) }
        await plan.look()
        #expect(desk.notices.withLock { $0.count } == 1, "the file is missing")
        try write("rules: ['=> close name=b']", desk)
        await plan.look()
        #expect(names() == ["a"], "it may still change")
        await plan.look()
        #expect(names() == ["b", "line"])
        #expect(desk.notices.withLock { $0.count } == 2)
        let generation = desk.session.generation
        await plan.look()
        #expect(desk.session.generation == generation)
        try write("rules: ['=> clse name=c']", desk)
        await plan.look()
        await plan.look()
        await plan.look()
        #expect(names() == ["b", "line"])
        let notices = desk.notices.withLock { $0 }
        #expect(notices.count == 3)
        #expect(notices.last?.contains("plan.yaml:1:13: there is no action \"clse\"") == true)
    }

    @Test func `says nothing of a plan that it plays already`() async throws {
        let text = "rules: ['=> close name=b']"
        let desk = try Desk(text)
        try desk.session.replace(
            FaultPlan.parse(yaml: text).adding(line: "=> latency 1s name=line"))
        try write(text, desk)
        let generation = desk.session.generation
        let plan = PlanReloading(
            try #require(configuration(desk).planFiles), session: desk.session
        ) { _ in Issue.record("nothing changed") }
        await plan.look()
        await plan.look()
        #expect(desk.session.generation == generation)
    }
}
