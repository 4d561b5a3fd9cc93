import Testing
import Wire

@testable import Diagnosis

/// Sessions in which nobody does anything wrong, and what findings say where somebody does.
@Suite struct SessionPlaybookTests {
    /// Pages without data, entities one by one, changes of both sides, heartbeats, a lost
    /// connection.
    private static func busy(_ script: inout SessionScript) {
        let one = script.socket(at: 0)
        script.open(one, at: 0.1)
        script.client(one, "0:i::::1", at: 0.2)
        script.server(
            one, #"0:i:{"current":"cv0","index":[{"id":"a","v":1}],"mark":"m1"}"#, at: 0.3)
        script.client(one, "0:e:a.1", at: 0.4)
        script.server(one, "0:e:a.1\n{\"data\":{\"t\":\"x\"}}", at: 0.5)
        script.client(one, "0:i::m1::1", at: 0.6)
        script.server(one, #"0:i:{"current":"cv0","index":[{"id":"b","v":4}]}"#, at: 0.7)
        script.client(one, "0:e:b.4", at: 0.8)
        script.server(one, "0:e:b.4\n?", at: 0.9)
        script.editAndTell(one, at: 2)
        script.server(
            one, SessionScript.reported(sv: 2, ccid: "bb01", to: "z", cv: "cv2", by: "x"), at: 3)
        script.beats(one, from: 15, to: 100)
        script.client(one, "0:e:a.3", at: 101)
        script.server(one, "0:e:a.3\n{\"data\":{\"t\":\"z\"}}", at: 101.1)
        script.client(one, SessionScript.sent(sv: 3, ccid: "aa02", to: "w"), at: 102)
        script.close(one, at: 102.01)
        let two = script.resumed(at: 104, cv: "cv2")
        script.client(two, SessionScript.sent(sv: 3, ccid: "aa02", to: "w"), at: 105)
        script.server(
            two, SessionScript.reported(sv: 3, ccid: "aa02", to: "w", cv: "cv3"), at: 105.1)
        script.server(two, "0:index", at: 106)
        script.client(
            two, #"0:index:{"current":"cv3","index":[{"id":"a","v":4}],"pending":[]}"#, at: 106.1)
        script.server(two, "log:1", at: 107)
        script.client(two, #"log:{"log":"in sync"}"#, at: 107.1)
        script.server(two, "log:0", at: 108)
        script.beats(two, from: 120, to: 200)
        script.close(two, at: 210)
    }

    @Test func `a busy session that is right has no findings`() {
        var script = SessionScript()
        Self.busy(&script)
        let found = script.findings().filter { $0.severity != .info }
        #expect(found.map { "\($0.rule.id): \($0.detail)" } == [])
    }

    @Test func `the same session has none wherever bytes are missing`() {
        for step in 0..<60 {
            var script = SessionScript()
            Self.busy(&script)
            script.gap(nil, at: 0.15 + Double(step) * 2)
            let found = script.findings().filter { $0.severity != .info }
            #expect(found.map { "\($0.rule.id): \($0.detail)" } == [], "gap \(step)")
        }
    }

    @Test func `words of findings are exact`() {
        var script = SessionScript()
        let socket = script.resumed(at: 0, cv: "old", answer: "0:cv:?")
        script.client(socket, "0:cv:old", at: 10)
        script.server(socket, "0:cv:?", at: 10.1)
        script.client(socket, "0:i:1:::100", at: 11)
        script.server(socket, SessionScript.page, at: 11.1)
        let finding = script.findings().first
        #expect(finding?.rule.id == "simperium.cv.unknown-repeated")
        #expect(
            finding?.detail
                == "The client requests changes since old again, 9.7 s after the server answered that it is unknown."
        )
        #expect(finding?.steps.map(\.quote) == ["0:cv:?", "0:cv:old"])
        #expect(finding?.client == "c-1")
        #expect(finding?.topic == "note")
    }

    @Test func `a token is not quoted`() {
        var script = SessionScript()
        let socket = script.socket(at: 0)
        script.client(
            socket,
            #"0:init:{"name":"note","token":"SECRETSECRET","app_id":"app","library":"l","version":"1"}"#,
            at: 0.1)
        script.server(socket, #"0:auth:{"msg":"no","code":500}"#, at: 0.2)
        let findings = script.findings()
        #expect(!findings.isEmpty)
        for finding in findings {
            #expect(!finding.detail.contains("SECRET"))
            #expect(finding.steps.allSatisfy { !$0.quote.contains("SECRET") })
        }
    }

    @Test func `an unread page is told with its mark and what to ask`() {
        var script = SessionScript()
        let socket = script.socket(at: 0)
        script.open(socket, at: 0.1)
        script.client(socket, "0:i:1:::1", at: 0.2)
        script.server(
            socket, #"0:i:{"current":"cv0","index":[{"id":"a","v":1,"d":{}}],"mark":"m1"}"#, at: 0.3
        )
        script.beats(socket, from: 15, to: 200)
        let finding = script.findings().first
        #expect(finding?.rule.id == "simperium.index.unfinished")
        #expect(finding?.expected == "0:i::m1::LIMIT")
        #expect(
            finding?.detail
                == "The page has the mark m1, and the client has not requested the next one in 120 s."
        )
    }
}
