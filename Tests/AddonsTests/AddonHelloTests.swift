import Filters
import Notation
import Testing
import Wire

@testable import Addons

@Suite struct AddonHelloTests {
    private func hello(_ text: String) throws(AddonError) -> AddonHello {
        try AddonHello(line: Array(text.utf8))
    }

    @Test(
        arguments: [
            ("api:commcare.submit", [.request]),
            ("header.user-agent~okhttp", [.response]),
            ("status:503", [.response]),
            ("bucket:notes", [.command]),
            ("command:c key:a", [.command]),
            ("opcode:ping", [.message]),
            ("", [.request, .response, .message]),
        ] as [(String, Set<AddonEventKind>)])
    func `asks for what a filter is about`(filter: String, kinds: Set<AddonEventKind>) throws {
        let text = #"{"hello":1,"on":[{"filter":"\#(filter)"}]}"#
        #expect(try hello(text).subscriptions.first?.kinds == kinds)
    }

    @Test func `reads what is asked for`() throws {
        let read = try hello(
            #"{"hello":1,"on":[{"filter":"host:a","kinds":["response","request"],"bytes":true,"decoded":false,"watch":true},{}]}"#
        )
        #expect(read.subscriptions.count == 2)
        #expect(read.subscriptions[0].kinds == [.request, .response])
        #expect(read.subscriptions[0].hasBytes && !read.subscriptions[0].isDecoded)
        #expect(read.subscriptions[0].isWatching && !read.subscriptions[1].isWatching)
    }

    @Test(
        arguments: [
            ("{}", .noHello, 0),
            (#"{"id":1,"verdict":"pass"}"#, .noHello, 0),
            (#"{"hello":2,"on":[]}"#, .otherVersion(2), 9),
            (#"{"hello":"1"}"#, .invalid("hello", expected: "the version of the protocol"), 9),
            (#"{"hello":1,"on":{}}"#, .invalid("on", expected: "an array"), 16),
            (#"{"hello":1,"on":[7]}"#, .notAnObject, 17),
            (#"{"hello":1,"on":[{"filters":"a"}]}"#, .unexpected("filters"), 28),
            (
                #"{"hello":1,"on":[{"kinds":["requests"]}]}"#,
                .invalid("kinds", expected: "request, response, message, command, connection"), 27
            ),
            (
                #"{"hello":1,"on":[{"filter":"stauts:4"}]}"#,
                .filter("stauts:4", "there is no field \"stauts\"; did you mean status?"), 17
            ),
        ] as [(String, AddonError.Problem, Int)])
    func refuses(text: String, problem: AddonError.Problem, offset: Int) {
        #expect(throws: AddonError(problem, at: offset)) { try hello(text) }
    }

    @Test func `refuses kinds of which a filter knows nothing`() {
        #expect(throws: AddonError.self) {
            try hello(#"{"hello":1,"on":[{"filter":"status:503","kinds":["request"]}]}"#)
        }
        let many = Array(repeating: "{}", count: 65).joined(separator: ",")
        #expect(throws: AddonError.self) { try hello(#"{"hello":1,"on":[\#(many)]}"#) }
    }

    @Test func `asks about events for which a filter holds`() throws {
        let read = try hello(
            #"{"hello":1,"on":[{"filter":"bucket:notes"},{"kinds":["message"],"filter":"text:hi","bytes":true,"decoded":false,"watch":true},{"filter":"api:commcare.submit"},{"filter":"status:500..599"}]}"#
        )
        func interest(_ event: AddonEvent) -> AddonInterest? { AddonInterest(event, in: read) }
        #expect(
            interest(Events.command("0:c:[]", name: "c", bucket: "notes"))?.subscriptions == [0])
        #expect(interest(Events.command("0:c:[]", name: "c", bucket: "others")) == nil)
        let watched = interest(Events.message("hi there"))
        #expect(
            watched?.isAwaited == false && watched?.hasBytes == true && watched?.isDecoded == false)
        #expect(interest(Events.message("ho")) == nil)
        #expect(interest(Events.exchange())?.subscriptions == [2])
        #expect(interest(Events.exchange(status: 503))?.subscriptions == [3])
        #expect(interest(Events.exchange(status: 200)) == nil)
    }

    @Test func `writes events as listings have them`() throws {
        let read = try hello(
            #"{"hello":1,"on":[{"kinds":["message","command","request","response"],"bytes":true}]}"#
        )
        func line(_ event: AddonEvent) throws -> JSONDocument.Node {
            let interest = try #require(AddonInterest(event, in: read))
            let line = event.line(id: 9, interest)
            #expect(line.last == 0x0A && line.count { $0 == 0x0A } == 1)
            return try JSONDocument.scan(line).root
        }
        let message = try line(Events.message("a\nb"))
        #expect(message["id"]?.int == 9 && message["event"]?.string == "message")
        #expect(message["payload"]?.string == "a\nb" && message["bytes"]?.string == "YQpi")
        #expect(message["sender"]?.string == "server" && message["side"] == nil)
        let command = try line(Events.command("0:c:[]", name: "c", bucket: "notes"))
        #expect(command["bucket"]?.string == "notes" && command["payload"]?.string == "[]")
        #expect(command["changes"]?.kind == .array)
        let request = try line(Events.exchange())
        #expect(request["api"]?.string == "commcare.submit" && request["status"] == nil)
        #expect(request["request"]?["content"]?.string == "<data/>" && request["response"] == nil)
        let response = try line(Events.exchange(status: 201))
        #expect(response["status"]?.int == 201 && response["sender"]?.string == "server")
        #expect(response["response"]?["content"]?.string == "done")
    }
}
