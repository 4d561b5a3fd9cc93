import Foundation
import Notation
import Synchronization
import Testing

@testable import Control
@testable import Faults

/// Held messages, by the control interface.
struct HoldingTests {
    private static let text = "POST /a HTTP/1.1\nHost: hq.example\nContent-Length: 2\n\nhi\n"

    private static func body(_ what: String, _ text: String) -> String {
        JSONValue.object(
            JSONObject([.init("do", .string(what)), .init("text", .string(text))])
        ).text()
    }

    @Test func `are listed and shown`() async throws {
        let fixture = try ControlFixture()
        try fixture.hold()
        try await fixture.run { client, _ in
            let list = try await client.ask("GET", "/v1/held").json
            guard case .array(let held) = list["held"] else {
                Issue.record("no list")
                return
            }
            #expect(held.count == 1)
            #expect(held[0]["held_ms"] == .number("1000"))
            #expect(held[0]["left_ms"] == .number("299000"))
            let shown = try await client.ask("GET", "/v1/held/h3").json
            #expect(shown["text"]?.string?.hasSuffix(Self.text) == true)
            #expect(try await client.ask("GET", "/v1/held/h4").status == 404)
        }
    }

    @Test func `are decided about`() async throws {
        let fixture = try ControlFixture()
        try fixture.hold()
        try await fixture.run { client, _ in
            let edited = Self.text.replacing("hi", with: "bye")
            let decisions = [
                #"{"do":"release"}"#, #"{"do":"drop"}"#, Self.body("edit", edited),
                Self.body("answer", "HTTP/1.1 503 Busy\n\nlater\n"),
            ]
            for body in decisions {
                #expect(try await client.ask("POST", "/v1/held/h3", body).status == 204)
            }
            let decided = fixture.decided.withLock { $0 }
            #expect(
                decided == [
                    .release, .drop,
                    .edit(
                        Array(
                            "POST /a HTTP/1.1\r\nHost: hq.example\r\nContent-Length: 3\r\n\r\nbye"
                                .utf8)),
                    .answer(
                        Array("HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nlater".utf8)),
                ])
            let wrong = try await client.ask(
                "POST", "/v1/held/h3", Self.body("edit", "POST /a HTTP/1.1\nHost\n\n"))
            #expect(wrong.status == 422)
            let line = try wrong.json["error"]?["place"]?["line"]
            #expect(line == .number("2"))
            let all = try await client.ask("POST", "/v1/held", #"{"do":"release"}"#)
            #expect(try all.json["count"] == .number("1"))
        }
    }

    @Test func `go on when their holder goes`() async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let added = try await client.ask(
                "POST", "/v1/holders", #"{"filter":"path:/a","for":"30s"}"#)
            #expect(added.status == 201)
            #expect(
                fixture.session.rules.map(\.rule.description) == [
                    "path:/a => hold 30s name=hold-1",
                    "path:/a => hold 30s sender=server name=hold-1-answer",
                ])
            try fixture.hold(by: "hold-1")
            let asked = try await client.ask("PUT", "/v1/holders/hold-1").json
            guard case .array(let held) = asked["held"] else {
                Issue.record("no list")
                return
            }
            #expect(held.count == 1)
            #expect(try await client.ask("DELETE", "/v1/holders/hold-1").status == 204)
            #expect(fixture.session.rules.isEmpty)
            let decided = fixture.decided.withLock { $0 }
            #expect(decided == [.release])
            #expect(try await client.ask("PUT", "/v1/holders/hold-1").status == 404)
        }
    }

    @Test func `go on when their holder is silent`() async throws {
        let fixture = try ControlFixture()
        try fixture.hold(by: "hold-1")
        try await fixture.run { client, _ in
            let body = #"{"filter":"command:c","patience_ms":1000}"#
            let added = try await client.ask("POST", "/v1/holders", body)
            #expect(added.status == 201)
            for await _ in fixture.noticed { break }
            #expect(fixture.session.rules.isEmpty)
            let decided = fixture.decided.withLock { $0 }
            #expect(decided == [.release])
        }
    }

    @Test(arguments: [
        #"{"filter":"nonsense:1"}"#, #"{"filter":"*","for":"soon"}"#, #"{"for":"1s"}"#,
        #"{"filter":"*","patience_ms":5}"#,
    ])
    func `are not held by what is no filter`(body: String) async throws {
        let fixture = try ControlFixture()
        try await fixture.run { client, _ in
            let answer = try await client.ask("POST", "/v1/holders", body)
            let isRefused = [400, 422].contains(answer.status)
            #expect(isRefused)
            #expect(fixture.session.rules.isEmpty)
        }
    }
}
