import Notation
import OpenRosa
import Replaying
import Testing
import Wire

@Suite struct UserStateTests {
    private struct Session {
        var state = SessionState()
        var number: Int64 = 0

        mutating func take(
            _ api: String, _ line: String, body: String = "", token: String? = nil,
            status: Int?, answer: String = "", device: String = "phone",
            change: (inout ExchangeSides) -> Void = { _ in }
        ) {
            number += 1
            let parts = line.split(separator: "?", maxSplits: 1).map(String.init)
            var fields = [
                ReplayMessage.Field("Authorization", "Basic YWRhOnNlY3JldA=="),
                ReplayMessage.Field("x-openrosa-deviceid", device),
                ReplayMessage.Field("Content-Type", "text/xml"),
            ]
            if let token { fields.append(.init("X-CommCareHQ-LastSyncToken", token)) }
            let response = status.map {
                ExchangeSides.Response(status: $0, message: ReplayMessage(body: bytes(answer)))
            }
            var sides = ExchangeSides(
                request: ReplayMessage(fields: fields, body: bytes(body)), sent: response,
                received: response)
            change(&sides)
            state.exchange(
                RecordedExchange(
                    id: ExchangeID(number), method: body.isEmpty ? "GET" : "POST", host: "hq",
                    path: "/a/demo" + parts[0], query: parts.count > 1 ? parts[1] : nil,
                    status: status), api: api, sides)
        }

        mutating func restore(
            _ token: String, since: String? = nil, state: String? = nil, _ cases: String...,
            device: String = "phone", change: (inout ExchangeSides) -> Void = { _ in }
        ) {
            take(
                "commcare.restore",
                "/phone/restore/" + (since.map { "?since=\($0)" } ?? "")
                    + (state.map { "&state=\($0)" } ?? ""),
                status: 200,
                answer: """
                    <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
                    <message nature="ota_restore_success">ok</message>\
                    <Sync xmlns="http://commcarehq.org/sync"><restore_id>\(token)</restore_id></Sync>\
                    <Registration xmlns="http://openrosa.org/user/registration">\
                    <username>ada</username><uuid>u1</uuid></Registration>\
                    \(cases.joined())</OpenRosaResponse>
                    """, device: device, change: change)
        }

        mutating func submit(
            _ id: String, _ cases: String..., token: String? = nil, status: Int? = 201,
            device: String = "phone", answer: String = "",
            change: (inout ExchangeSides) -> Void = { _ in }
        ) {
            take(
                "commcare.submit", "/receiver/",
                body: """
                    <data xmlns="http://example.org/f">\(cases.joined())\
                    <meta><instanceID>\(id)</instanceID></meta></data>
                    """, token: token, status: status, answer: answer, device: device,
                change: change)
        }

        /// A sync that the server refuses for the device's hash.
        mutating func refusedSync(since: String, state: String) {
            take(
                "commcare.restore", "/phone/restore/?since=\(since)&state=\(state)", status: 412,
                answer: """
                    <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
                    <message nature="ota_restore_error">no</message></OpenRosaResponse>
                    """)
        }

        var mismatch: SentStateMismatch? { user()?.stateMismatch }

        func user(_ device: String = "phone") -> UserState? {
            state.users.first { $0.device == device }
        }

        func disagreements(_ device: String = "phone") -> [String] {
            user(device).map { state.disagreements(with: $0) }?
                .map { "\($0.caseID) \($0.kind.rawValue)" } ?? []
        }
    }

    private static func block(_ id: String, create: Bool = true, _ inside: String = "") -> String {
        let made =
            create
            ? "<create><case_type>p</case_type><case_name>n</case_name>"
                + "<owner_id>u1</owner_id></create>" : ""
        return """
            <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\(id)" \
            date_modified="2026-01-15T10:00:00.000Z" user_id="u1">\(made)\(inside)</case>
            """
    }

    private static func update(_ id: String, _ value: String) -> String {
        block(id, create: false, "<update><age>\(value)</age></update>")
    }

    @Test func `holds what restores and forms say`() throws {
        var session = Session()
        session.restore("t1", Self.block("a"))
        session.submit("i1", Self.block("b"), token: "t1")
        let user = try #require(session.user())
        #expect(user.user == "ada" && user.domain == "hq/a/demo")
        #expect(user.client.syncToken == "t1" && user.server.syncToken == "t1")
        #expect(Set(user.client.cases.cases.keys.map(\.string)) == ["a", "b"])
        #expect(user.client.cases.stateHash == user.server.log?.stateHash)
        #expect(user.unanswered.isEmpty && session.disagreements() == [])
        session.restore("t2", since: "t1", Self.update("a", "7"))
        #expect(session.user()?.client.cases["a"]?[property: "age"] == "7")
        #expect(session.disagreements() == [])
        // Closed: the device purges it before the next sync, and the server expects that.
        session.submit("i2", Self.block("b", create: false, "<close/>"), token: "t2")
        session.restore("t3", since: "t2")
        #expect(session.user()?.client.cases.cases.count == 1)
        #expect(
            session.user()?.client.cases.stateHash == session.user()?.server.log?.stateHash)
    }

    @Test func `tells the outcomes of forms apart`() {
        var session = Session()
        session.restore("t1")
        session.submit("lost", Self.block("a"), token: "t1", status: nil) { $0.reached = false }
        session.submit("unheard", Self.block("b"), token: "t1") { $0.received = nil }
        session.submit("busy", Self.block("c"), token: "t1", status: 503)
        session.submit("open", Self.block("d"), token: "t1", status: nil)
        #expect(
            session.user()?.unanswered.map(\.outcome) == [
                .lost, .accepted, .refused(status: 503), .unanswered,
            ])
        #expect(
            session.disagreements() == [
                "a missing-on-server", "c missing-on-server", "d missing-on-server",
            ])
        session.submit("unheard", Self.block("b"), token: "t1")
        session.submit("lost", Self.block("a"), token: "t1")
        #expect(session.user()?.unanswered.map(\.instanceID) == ["busy", "open"])
        #expect(session.disagreements() == ["c missing-on-server", "d missing-on-server"])
    }

    @Test func `names what other devices changed, and what a restore lacks`() {
        var session = Session()
        session.restore("t1", Self.block("a"))
        session.restore("s1", Self.block("a"), device: "other")
        session.submit("i1", Self.update("a", "8"), token: "s1", device: "other")
        #expect(session.disagreements() == ["a data"] && session.disagreements("other") == [])
        session.submit("i2", Self.block("b"), token: "t1")
        #expect(session.disagreements("other") == ["b missing-on-client"])
        // A full restore without what the server was given.
        session.restore("t2", Self.block("a"), Self.update("a", "8"))
        #expect(session.disagreements() == ["b missing-on-client"])
    }

    @Test func `a restore that did not arrive whole changes nothing on the device`() {
        var session = Session()
        session.restore("t1", Self.block("a"))
        session.restore("t2", since: "t1", Self.update("a", "9")) { $0.received?.isWhole = false }
        #expect(session.user()?.client.syncToken == "t1")
        #expect(session.user()?.server.syncToken == "t2")
        #expect(session.disagreements() == ["a data"])
        session.restore("t3", since: "t1", Self.update("a", "9")) { $0.received = nil }
        #expect(session.user()?.client.syncToken == "t1")
        #expect(session.user()?.server.log("t1") != nil)
    }

    private static let failure = """
        <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
        <message nature="processing_failure">no</message></OpenRosaResponse>
        """
    private static let page = "<!DOCTYPE html><html><body>Please sign in<br></body></html>"

    private func local(_ session: Session) -> Set<String> {
        Set((session.user()?.local.cases.keys).map { $0.map(\.string) } ?? [])
    }

    @Test func `a full restore replaces what unaccepted forms did to the cases`() {
        var session = Session()
        session.restore("t1", Self.block("a"))
        session.submit("bad", Self.block("b"), token: "t1", status: 422, answer: Self.failure)
        session.submit("busy", Self.block("c"), token: "t1", status: 500, answer: "oops")
        #expect(
            session.user()?.unanswered.map(\.outcome) == [
                .refused(status: 422), .refused(status: 500),
            ])
        #expect(local(session) == ["a", "b", "c"])
        session.refusedSync(since: "t1", state: "ccsh:\(String(repeating: "0", count: 32))")
        #expect(local(session) == ["a", "b", "c"], "a 412 alone replaces nothing")
        session.restore("t2", Self.block("a"))
        #expect(local(session) == ["a"] && session.disagreements() == [])
        #expect(session.user()?.unanswered.map(\.isCleared) == [true, true])
        // The form is still in the queue.
        session.submit("busy", Self.block("c"), token: "t2")
        #expect(session.user()?.unanswered.map(\.instanceID) == ["bad"])
        #expect(local(session) == ["a", "c"] && session.disagreements() == [])
    }

    @Test(arguments: [200, 201]) func `a page of a captive portal accepts no form`(status: Int) {
        var session = Session()
        session.restore("t1")
        session.submit("i1", Self.block("a"), token: "t1", status: status, answer: Self.page)
        #expect(session.user()?.unanswered.map(\.outcome) == [.unconfirmed(status: status)])
        #expect(local(session) == ["a"] && session.disagreements() == ["a missing-on-server"])
        session.submit("i1", Self.block("a"), token: "t1")
        #expect(session.user()?.unanswered == [] && session.disagreements() == [])
    }

    @Test func `a success without a body and one with a nature accept a form`() {
        var session = Session()
        session.restore("t1")
        session.submit("i1", Self.block("a"), token: "t1")
        session.submit(
            "i2", Self.block("b"), token: "t1",
            answer: Self.failure.replacing("processing_failure", with: "submit_success"))
        session.submit(
            "i3", Self.block("c"), token: "t1", status: 422,
            answer: Self.failure.replacing("processing", with: "post_processing"))
        #expect(session.user()?.unanswered == [] && session.disagreements() == [])
    }

    @Test func `compares the hash that a device sends with what it holds`() throws {
        var session = Session()
        session.restore("t1", Self.block("a"), Self.block("b"))
        session.submit("i1", Self.block("c"), token: "t1")
        session.refusedSync(
            since: "t1", state: CaseStateHash(caseIDs: ["a", "b", "c"]).description)
        #expect(session.mismatch == nil)
        session.refusedSync(since: "t1", state: CaseStateHash(caseIDs: ["a", "c"]).description)
        let one = try #require(session.mismatch)
        #expect(one.missing == ["b"] && one.additional == [])
        #expect(one.sent == CaseStateHash(caseIDs: ["c", "a"]))
        #expect(one.expected == CaseStateHash(caseIDs: ["a", "b", "c"]))
        #expect(one.exchange == ExchangeID(4))
        // What the server said of the device's hash is over with a full restore.
        session.restore("t2", Self.block("a"))
        #expect(session.mismatch == nil)
        session.restore("t3", since: "t2", state: CaseStateHash(caseIDs: ["a", "b"]).description)
        #expect(session.mismatch?.additional == ["b"] && session.mismatch?.missing == [])
    }

    @Test func `a hash with the cases of forms in the queue is right as well`() {
        var session = Session()
        session.restore("t1", Self.block("a"))
        session.submit("busy", Self.block("b"), token: "t1", status: 503)
        for ids in [["a"], ["a", "b"]] {
            session.refusedSync(since: "t1", state: CaseStateHash(caseIDs: ids).description)
            #expect(session.mismatch == nil, "\(ids)")
        }
        session.refusedSync(since: "t1", state: "ccsh:")
        #expect(session.mismatch?.missing == ["a"])
    }

    @Test func `knows nothing of a device that never made a full restore`() {
        var session = Session()
        session.refusedSync(since: "t0", state: "ccsh:")
        session.refusedSync(since: "t0", state: "nonsense")
        #expect(session.mismatch == nil && session.user() != nil)
    }
}
