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
            _ token: String, since: String? = nil, _ cases: String..., device: String = "phone",
            change: (inout ExchangeSides) -> Void = { _ in }
        ) {
            take(
                "commcare.restore", "/phone/restore/" + (since.map { "?since=\($0)" } ?? ""),
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
            device: String = "phone", change: (inout ExchangeSides) -> Void = { _ in }
        ) {
            take(
                "commcare.submit", "/receiver/",
                body: """
                    <data xmlns="http://example.org/f">\(cases.joined())\
                    <meta><instanceID>\(id)</instanceID></meta></data>
                    """, token: token, status: status, device: device, change: change)
        }

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
}
