import OpenRosa
import Replaying
import Testing
import Wire

struct CaseBindingsTests {
    private static func form(_ inside: String) -> String {
        "<data xmlns=\"http://x/f\">\(inside)</data>"
    }

    private static func made(_ id: String, _ more: String = "") -> String {
        "<case case_id=\"\(id)\"><create><case_type>t</case_type></create>\(more)</case>"
    }

    private static func state(_ ids: String...) -> String {
        "version=2.0&since=token&state=\(CaseStateHash(caseIDs: ids))"
    }

    @Test func `cases that a device makes go by its own identifiers`() {
        var tape = Tape()
        let index = "<index><p>recorded-1</p></index>"
        tape.add(
            "POST", "/submit",
            body: Self.form(
                Self.made("recorded-1") + Self.made("recorded-2", index) + "<q>recorded-2</q>"))
        tape.add(
            "POST", "/submit",
            body: Self.form("<case case_id=\"recorded-2\"><update><a>1</a></update></case>"))
        tape.add("GET", "/case/recorded-1/", query: "id=recorded-2")
        tape.add("GET", "/restore", query: Self.state("server-made", "recorded-1", "recorded-2"))
        tape.add(
            "POST", "/submit", body: Self.form("<case case_id=\"recorded-1\"><close/></case>"))
        tape.add("GET", "/restore", query: Self.state("server-made", "recorded-2"))
        var replay = tape.replay()
        let answer = bytes("<case case_id=\"recorded-1\"/><p>recorded-2, recorded-22</p>")
        #expect(replay.rewritten(answer) == nil)
        #expect(
            replay.number(
                "POST", "/submit",
                body: Self.form(
                    Self.made("live-number-1")
                        + Self.made("live-number-2", "<index><p>live-number-1</p></index>")
                        + "<q>live-number-2</q>")) == 1)
        #expect(
            replay.cases.live == ["recorded-1": "live-number-1", "recorded-2": "live-number-2"])
        #expect(
            replay.rewritten(answer)
                == bytes("<case case_id=\"live-number-1\"/><p>live-number-2, recorded-22</p>"))
        #expect(
            replay.number(
                "POST", "/submit",
                body: Self.form("<case case_id=\"live-number-2\"><update><a>1</a></update></case>")
            ) == 2)
        #expect(replay.number("GET", "/case/live-number-1/", query: "id=live-number-2") == 3)
        let all = Self.state("server-made", "live-number-1", "live-number-2")
        #expect(replay.number("GET", "/restore", query: all) == 4)
        #expect(
            replay.number(
                "POST", "/submit",
                body: Self.form("<case case_id=\"live-number-1\"><close/></case>")) == 5)
        let rest = Self.state("server-made", "live-number-2").replacing(":", with: "%3A")
        #expect(replay.number("GET", "/restore", query: rest) == 6)
        #expect(replay.unused == 0)
        // One that it cannot have.
        #expect(replay.number("GET", "/restore", query: Self.state("live-number-2")) == nil)
    }

    @Test func `other cases are not taken for those`() {
        var tape = Tape()
        tape.add("POST", "/submit", body: Self.form(Self.made("recorded-1") + "<q>1</q>"))
        tape.add(
            "POST", "/submit",
            body: Self.form("<case case_id=\"recorded-1\"><update><a>1</a></update></case>"))
        var replay = tape.replay()
        #expect(
            replay.number(
                "POST", "/submit", body: Self.form(Self.made("live-number-1") + "<q>2</q>")) == nil)
        #expect(
            replay.number(
                "POST", "/submit", body: Self.form(Self.made("live-number-1") + "<q>1</q>")) == 1)
        for id in ["live-number-3", "recorded-9"] {
            #expect(
                replay.number(
                    "POST", "/submit",
                    body: Self.form("<case case_id=\"\(id)\"><update><a>1</a></update></case>"))
                    == nil)
        }
        #expect(
            replay.number(
                "POST", "/submit",
                body: Self.form("<case case_id=\"live-number-1\"><update><a>1</a></update></case>")
            ) == 2)
    }

    @Test func `short identifiers are compared`() {
        var tape = Tape()
        tape.add("POST", "/submit", body: Self.form(Self.made("short")))
        var replay = tape.replay()
        #expect(replay.number("POST", "/submit", body: Self.form(Self.made("other"))) == nil)
        #expect(replay.number("POST", "/submit", body: Self.form(Self.made("short"))) == 1)
    }

    @Test func `the same identifiers stay as they are`() {
        var tape = Tape()
        for number in 0..<3 {
            tape.add(
                "POST", "/submit", body: Self.form(Self.made("recorded-1") + "<q>\(number)</q>"))
        }
        var replay = tape.replay()
        for number in [2, 0, 1] {
            let body = Self.form(Self.made("recorded-1") + "<q>\(number)</q>")
            #expect(replay.number("POST", "/submit", body: body) == Int64(number + 1))
        }
        #expect(replay.cases.isEmpty)
        #expect(replay.rewritten(bytes("recorded-1")) == nil)
    }

    @Test func `the form of a multipart body counts`() {
        func body(_ id: String) -> String {
            "--b\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; filename=\"f\"\r\n"
                + "Content-Type: text/xml\r\n\r\n\(Self.form(Self.made(id)))\r\n--b--\r\n"
        }
        let fields = [ReplayMessage.Field("Content-Type", "multipart/form-data; boundary=b")]
        var tape = Tape()
        tape.add("POST", "/submit", fields: fields, body: body("recorded-1"))
        var replay = tape.replay()
        #expect(
            replay.number("POST", "/submit", fields: fields, body: body("live-number-1")) == 1)
        #expect(replay.cases.recorded == ["live-number-1": "recorded-1"])
    }
}
