import Testing
import Wire

@testable import Faults

/// What an answer has that a rule gives in a server's place.
struct LocalAnswerTests {
    private static let date = "\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    private static func answer(
        _ rule: String, to request: String = Talk.get("/x"), server: String? = nil
    ) throws -> String {
        let steps = [Step.client(request)] + (server.map { [Step.server($0)] } ?? [])
        return try HTTPPlay.run([rule], steps).sent(by: .server)
    }

    @Test(arguments: [200, 202, 204, 304, 401, 404, 405, 407, 412, 426, 429, 500, 503, 599])
    func `every answer has a date`(status: Int) throws {
        let text = try Self.answer("=> \(status)")
        #expect(text.contains(Self.date), "\(text)")
        let other = try Self.answer("=> \(status) forwarded", server: Talk.ok("<a/>"))
        #expect(other.contains(Self.date), "\(other)")
    }

    @Test func `an interim answer has none`() throws {
        #expect(try !Self.answer("=> 102").contains("Date"))
    }

    @Test func `a date that a rule gives is the only one`() throws {
        let text = try Self.answer("=> 503 header=\"date: then\"")
        #expect(text.contains("\r\ndate: then\r\n") && !text.contains("Date"))
        let without = try HTTPPlay.run(
            ["path:/x => 503", "local:true => remove-header Date"], [.client(Talk.get("/x"))])
        #expect(!without.sent(by: .server).contains("Date"))
    }

    @Test(arguments: [("3.0", "3.0"), ("1.0", "1.0"), ("2.0", "1.0"), (nil, "1.0")])
    func `CommCare gets the fields of OpenRosa`(asked: String?, version: String) throws {
        let field = asked.map { "X-OpenRosa-Version: \($0)\r\n" } ?? ""
        let text = try Self.answer("=> 503", to: Talk.get(Talk.restorePath, field))
        for line in [
            "X-OpenRosa-Version: \(version)", "X-OpenRosa-Accept-Content-Length: 10485760",
            "Retry-After: 30", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        ] {
            #expect(text.contains("\r\n\(line)\r\n"), "\(line) in \(text)")
        }
    }

    @Test(arguments: [
        (405, "Allow: GET, HEAD"), (407, "Proxy-Authenticate: Basic realm=\"tapedeck\""),
        (426, "Upgrade: websocket"), (401, "WWW-Authenticate: Basic realm=\"tapedeck\""),
    ])
    func `a status has the field that it asks for`(status: Int, line: String) throws {
        let text = try Self.answer("=> \(status)", to: Talk.post("/x", "y"))
        #expect(text.contains("\r\n\(line)\r\n"), "\(text)")
    }
}
