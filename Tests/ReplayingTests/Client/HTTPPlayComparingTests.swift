import Replaying
import Testing

@Suite struct HTTPPlayComparingTests {
    @Test func `points at what differs`() {
        let form = HTTPPlayTests.submission(1, HTTPPlayTests.form())
        var world = HTTPWorld([form])
        let other = HTTPPlayTests.thanks.split(separator: "ok").joined(separator: "no")
        #expect(
            world.run(form, .text(201, HTTPPlayTests.xml, other)).places == [
                "XML /OpenRosaResponse/message[1]/text()"
            ])
        let played = world.run(form, HTTPPlayAnswer(problem: "cut"))
        #expect(played.outcome == .unanswered)
        #expect(played.places == ["status"])
        #expect(
            world.run(form, HTTPPlayAnswer(problem: "refused", isUnreachable: true)).outcome
                == .unreachable)
    }

    @Test func `a recorded exchange without an answer is answered by none`() {
        let cut = Recorded(1, "GET /x", status: nil)
        var world = HTTPWorld([cut])
        #expect(world.run(cut, HTTPPlayAnswer(problem: "cut")).isSame)
        #expect(world.run(cut, .text(200)).places == ["status"])
    }

    @Test func `follows no redirect and knows the server by its new name`() {
        let moved = Recorded(
            1, "GET /x", host: "old.example", status: 302,
            answerFields: ["Location: https://old.example/y?a=1"],
            answer: "see http://old.example/y, not http://old.example.org/y")
        var world = HTTPWorld([moved])
        let played = world.run(
            moved,
            .text(
                302, ["Location: http://new.example:81/y?a=1"],
                "see http://new.example:81/y, not http://old.example.org/y"))
        #expect(played.isSame)
        #expect(world.sent.count == 1)
    }

    @Test func `says which host has no server`() {
        let get = Recorded(1, "GET /x", host: "unknown.example", status: 200)
        var world = HTTPWorld([get])
        let played = world.run(get, .text(200))
        #expect(played.outcome == .notSent)
        #expect(!played.isSame)
        #expect(world.sent.isEmpty)
    }

    @Test func `sends exactly what was recorded where it is to`() {
        var form = HTTPPlayTests.submission(
            1, HTTPPlayTests.form(HTTPPlayTests.instance, HTTPPlayTests.block(HTTPPlayTests.child)),
            [
                "X-CommCareHQ-LastSyncToken: token-a", "Authorization: Digest username=\"ann\"",
                "Connection: keep-alive, X-Hop", "X-Hop: 1", "Content-Encoding: gzip",
                "Accept: a", "Accept: b", "Content-Length: 3",
            ])
        form.recording.sentBody = [1, 2, 3]
        var world = HTTPWorld([form], isVerbatim: true) { options in
            options.isDistinct = true
            options.login = { _ in .init(user: "bob", password: "pw") }
        }
        #expect(world.run(form, HTTPPlayTests.thanked).isSame)
        #expect(world.last.body == [1, 2, 3])
        #expect(!world.last.isCompressed)
        #expect(world.last.login == nil)
        #expect(
            world.last.fields
                == textMessage([
                    "Content-Type: multipart/form-data; boundary=B",
                    "X-CommCareHQ-LastSyncToken: token-a",
                    "Authorization: Digest username=\"ann\"", "Content-Encoding: gzip", "Accept: a",
                    "Accept: b",
                ]).fields)
        // Without the bytes that were sent they are made again.
        form.recording.sentBody = nil
        world = HTTPWorld([form], isVerbatim: true)
        _ = world.run(form, HTTPPlayTests.thanked)
        #expect(world.last.isCompressed)
        #expect(world.last.value("content-encoding") == nil)
        #expect(
            string(world.last.body)
                == HTTPPlayTests.multipart(
                    HTTPPlayTests.form(
                        HTTPPlayTests.instance, HTTPPlayTests.block(HTTPPlayTests.child))))
    }

    @Test func `waits but asks for nothing else where it is verbatim`() {
        let get = Recorded(
            1, "GET /a/demo/phone/restore/?since=token-a&state=ccsh:", status: 200,
            answerFields: HTTPPlayTests.xml, answer: HTTPPlayTests.restore("token-b"))
        var world = HTTPWorld([get], isVerbatim: true)
        let played = world.run(get, .text(503, ["Retry-After: 2"]), .text(412))
        #expect(played.status == 412)
        #expect(Set(world.sent).count == 1)
        #expect(played.waited == 2_000_000_000)
    }
}
