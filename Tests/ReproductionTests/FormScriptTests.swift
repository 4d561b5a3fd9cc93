import Certification
import Replaying
import Testing
import Wire

@testable import Reproduction

@Suite struct FormScriptTests {
    private var script = FormScript()
    private var now: Int64 = 0

    private func form(
        _ id: String, _ end: String = "2024-01-01T10:00:00Z", _ more: String = ""
    )
        -> String
    {
        "<data xmlns=\"http://example.org/form\"><n>\(id)</n>\(more)<meta><instanceID>\(id)</instanceID>"
            + "<timeEnd>\(end)</timeEnd></meta></data>"
    }

    private mutating func submit(
        _ body: String, status: Int? = 201, user: String? = "ann", isLeftOut: Bool = false
    ) {
        request(
            "commcare.submit", status, user,
            ReplayMessage(
                fields: [.init("Content-Type", "text/xml"), .init("Authorization", "Basic x")],
                body: Array(body.utf8)), isLeftOut: isLeftOut)
    }

    private mutating func restore(_ status: Int? = 200, days: Int? = nil, user: String? = "ann") {
        request("commcare.restore", status, user, ReplayMessage(), days: days)
    }

    private mutating func request(
        _ api: String, _ status: Int?, _ user: String?, _ message: ReplayMessage,
        days: Int? = nil, isLeftOut: Bool = false
    ) {
        now += 1_000_000
        script.take(
            FormScript.Request(
                at: Instant(nanoseconds: now), endedAt: Instant(nanoseconds: now), api: api,
                status: status, user: user, daysSinceSync: days, message: message),
            isLeftOut: isLeftOut)
    }

    private mutating func end() -> [Step] {
        script.finish(at: Instant(nanoseconds: now))
        return script.steps
    }

    private func submission(_ name: String) -> Step { .submit(form: name, attachments: []) }

    @Test mutating func `a form that is sent again is one step`() {
        restore()
        submit(form("f1"), status: 503)
        submit(form("f1"))
        #expect(
            end() == [
                .sync(isAutomatic: false), submission("form-1.xml"), .sync(isAutomatic: false),
            ])
        #expect(script.files.map(\.content) == [Array(form("f1").utf8)])
    }

    @Test mutating func `the same content under another instanceID is one step until it is stored`()
    {
        let body =
            "<data xmlns=\"http://example.org/form\"><n>1</n><meta><instanceID>ID</instanceID></meta></data>"
        submit(body, status: nil)
        submit(body.replacing("ID<", with: "other<"))
        #expect(end() == [submission("form-1.xml"), .sync(isAutomatic: false)])
        submit(body.replacing("ID<", with: "third<"))
        #expect(script.steps.count == 3)
    }

    @Test mutating func `restores that go on with one are not steps`() {
        restore(202)
        restore(412)
        restore()
        restore()
        #expect(end() == Array(repeating: .sync(isAutomatic: false), count: 3))
    }

    @Test mutating func `forms are submitted in the order in which they were finished`() {
        submit(form("f1", "2024-01-01T10:05:00Z"))
        submit(form("f2", "2024-01-01T10:00:00Z"))
        #expect(
            end() == [
                submission("form-2.xml"), submission("form-1.xml"), .sync(isAutomatic: false),
            ])
    }

    @Test mutating func `another user, a long absence and a pause are steps`() {
        restore()
        now += 3_000_000_000
        restore(days: 64, user: "bob")
        #expect(
            end() == [
                .sync(isAutomatic: false), .pause(3.1), .signIn(user: "bob"), .later(days: 64),
                .sync(isAutomatic: false), .sync(isAutomatic: false),
            ])
    }

    @Test mutating func `the breach is no step where it is left out, nor what is no form`() {
        submit(form("f1"), isLeftOut: true)
        submit("no form")
        #expect(end().isEmpty)
        #expect(script.unexplained == 1)
    }
}
