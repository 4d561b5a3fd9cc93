import OpenRosa
import Replaying
import Testing
import Wire

@Suite struct HTTPPlayTests {
    static let instance = "0123456789abcdef0123456789abcdef"
    static let child = "fedcba9876543210fedcba9876543210"

    static func form(_ instance: String = instance, _ blocks: String = "") -> String {
        "<data xmlns=\"http://x/f\"><name>a</name>\(blocks)<n0:meta xmlns:n0="
            + "\"http://openrosa.org/jr/xforms\"><n0:deviceID>dev-1</n0:deviceID>"
            + "<n0:instanceID>\(instance)</n0:instanceID></n0:meta></data>"
    }

    static func block(_ id: String, create: Bool = true) -> String {
        "<case case_id=\"\(id)\" xmlns=\"http://commcarehq.org/case/transaction/v2\">"
            + (create ? "<create><case_type>p</case_type><case_name>n</case_name></create>" : "")
            + "<update><a>1</a></update></case>"
    }

    static func multipart(_ form: String) -> String {
        "--B\r\nContent-Disposition: form-data; name=\"xml_submission_file\"; "
            + "filename=\"f.xml\"\r\nContent-Type: text/xml\r\n\r\n\(form)\r\n--B--\r\n"
    }

    static func submission(_ id: Int64, _ form: String, _ fields: [String] = []) -> Recorded {
        Recorded(
            id, "POST /a/demo/receiver/",
            fields: ["Content-Type: multipart/form-data; boundary=B"] + fields,
            body: multipart(form), status: 201, answerFields: ["Content-Type: text/xml"],
            answer: thanks)
    }

    static let thanks =
        "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\">"
        + "<message nature=\"submit_success\">ok</message></OpenRosaResponse>"
    static let thanked = HTTPPlayAnswer.text(201, ["Content-Type: text/xml"], thanks)

    static func restore(_ token: String, _ cases: [String] = []) -> String {
        "<OpenRosaResponse xmlns=\"http://openrosa.org/http/response\"><message nature="
            + "\"ota_restore_success\">ok</message><Sync xmlns=\"http://commcarehq.org/sync\">"
            + "<restore_id>\(token)</restore_id></Sync>"
            + cases.map { block($0) }.joined() + "</OpenRosaResponse>"
    }

    static let xml = ["Content-Type: text/xml"]

    // MARK: Names

    @Test func `gives each form a new instance and keeps it when it is sent again`() {
        let one = Self.submission(1, Self.form())
        let again = Self.submission(2, Self.form())
        let look = Recorded(
            3, "GET /forms/\(Self.instance)?id=\(Self.instance)&x=%7e", status: 200,
            answer: Self.instance)
        var world = HTTPWorld([one, again, look])
        #expect(world.run(one, Self.thanked).isSame)
        let body = string(world.last.body)
        #expect(!body.contains(Self.instance))
        #expect(body.count == Self.multipart(Self.form()).count)
        #expect(body.contains("<n0:deviceID>dev-1<"))
        #expect(world.run(again, Self.thanked).isSame)
        #expect(string(world.last.body) == body)
        let live = world.identity.live(.instanceID, Self.instance) ?? ""
        #expect(body.contains(">\(live)<"))
        #expect(world.run(look, .text(200, [], live)).isSame)
        #expect(world.last.target == "/forms/\(live)?id=\(live)&x=%7e")
    }

    @Test func `keeps cases unless clients are to be distinct`() {
        let one = Self.submission(
            1, Self.form(Self.instance, Self.block(Self.child)), ["X-OpenRosa-DeviceId: dev-1"])
        let update = Self.submission(
            2, Self.form("1" + Self.instance.dropFirst(), Self.block(Self.child, create: false)))
        for isDistinct in [false, true] {
            var world = HTTPWorld([one, update]) { $0.isDistinct = isDistinct }
            #expect(world.run(one, Self.thanked).isSame)
            #expect(string(world.last.body).contains(Self.child) != isDistinct)
            #expect((world.last.value("x-openrosa-deviceid") == "dev-1") != isDistinct)
            #expect(world.run(update, Self.thanked).isSame)
            #expect(string(world.last.body).contains(Self.child) != isDistinct)
        }
        var worlds = [1, 2].map { seed in HTTPWorld([one], seed: seed) { $0.isDistinct = true } }
        for place in worlds.indices { _ = worlds[place].run(one, Self.thanked) }
        #expect(worlds[0].last.body != worlds[1].last.body)
    }

    @Test func `carries sync tokens and the hash of the cases`() throws {
        let first = Recorded(
            1, "GET /a/demo/phone/restore/?version=2.0", status: 200, answerFields: Self.xml,
            answer: Self.restore("token-a", ["case-one"]))
        let form = Self.submission(
            2, Self.form(Self.instance, Self.block(Self.child)),
            ["X-CommCareHQ-LastSyncToken: token-a"])
        let hash = Self.hash(["case-one", Self.child])
        let second = Recorded(
            3, "GET /a/demo/phone/restore/?version=2.0&since=token-a&state=\(hash)",
            fields: ["X-CommCareHQ-LastSyncToken: token-a"], status: 200, answerFields: Self.xml,
            answer: Self.restore("token-b"))
        var world = HTTPWorld([first, form, second]) { $0.isDistinct = true }
        let answered = world.run(
            first, .text(200, Self.xml, Self.restore("live-1", ["case-one"])))
        #expect(answered.isSame)
        #expect(world.run(form, Self.thanked).isSame)
        #expect(world.last.value("x-commcarehq-lastsynctoken") == "live-1")
        #expect(world.run(second, .text(200, Self.xml, Self.restore("live-2"))).isSame)
        #expect(world.last.value("x-commcarehq-lastsynctoken") == "live-1")
        let child = try #require(world.identity.live(.caseID, Self.child))
        let expected = Self.hash(["case-one", child])
        let escaped = expected.split(separator: ":").joined(separator: "%3A")
        #expect(world.last.query == "version=2.0&since=live-1&state=\(escaped)")
        #expect(world.identity.live(.syncToken, "token-b") == "live-2")
    }

    @Test func `sends a hash that was wrong as wrong as it was`() {
        let first = Recorded(
            1, "GET /a/demo/phone/restore/?version=2.0", status: 200, answerFields: Self.xml,
            answer: Self.restore("token-a", ["case-one"]))
        let wrong = Self.hash(["case-one", "case-of-nobody"])
        let second = Recorded(
            2, "GET /a/demo/phone/restore/?since=token-a&state=\(wrong)", status: 412)
        var world = HTTPWorld([first, second])
        _ = world.run(first, .text(200, Self.xml, Self.restore("live-1", ["case-one"])))
        #expect(world.run(second, .text(412)).isSame)
        #expect(world.last.query?.hasSuffix(wrong) == true)
        // The live server has another case on top.
        world = HTTPWorld([first, second])
        _ = world.run(first, .text(200, Self.xml, Self.restore("live-1", ["case-one", "case-2"])))
        #expect(world.run(second, .text(412)).isSame)
        let expected = Self.hash(["case-one", "case-of-nobody", "case-2"])
        #expect(
            world.last.query?.hasSuffix(expected.split(separator: ":").joined(separator: "%3A"))
                == true)
    }

    static func hash(_ ids: [String]) -> String { CaseStateHash(caseIDs: ids).description }

    // MARK: What answers ask for

    @Test(arguments: 0..<4, 0..<4)
    func `however often an answer is being prepared its end counts`(recorded: Int, live: Int) {
        var exchanges: [Recorded] = []
        for number in 0...recorded {
            exchanges.append(
                Recorded(
                    Int64(number + 1), "GET /a/demo/phone/restore/?version=2.0",
                    status: number < recorded ? 202 : 200,
                    answerFields: number < recorded ? ["Retry-After: 1"] : Self.xml,
                    answer: number < recorded ? "<a/>" : Self.restore("token-a")))
        }
        var world = HTTPWorld(exchanges)
        var left = live
        var results: [PlayedExchange] = []
        for exchange in exchanges {
            results.append(
                world.run(exchange) { _ in
                    left -= 1
                    return left >= 0
                        ? .text(202, ["Retry-After: 7"], "<b/>")
                        : .text(200, Self.xml, Self.restore("live-1"))
                })
        }
        #expect(results.allSatisfy { $0.isSame })
        // Another number of them, or another pause, is a difference that the client bridges.
        let isBridged = results.contains { !$0.bridged.isEmpty }
        #expect(isBridged == (recorded != live || live > 0))
        #expect(world.sent.count == live + 1)
        // A second each, and every pause that was asked for.
        #expect(world.now.nanoseconds == Int64(live + 1 + 7 * live) * 1_000_000_000)
        #expect(world.identity.live(.syncToken, "token-a") == "live-1")
        #expect(results.last?.outcome == .compared)
        #expect(results.last?.status == 200)
    }

    @Test func `a recording that ends while it polls ends well`() {
        let polls = (1...3).map { number in
            Recorded(
                Int64(number), "GET /a/demo/phone/restore/", status: 202,
                answerFields: ["Retry-After: 1"])
        }
        var world = HTTPWorld(polls)
        let played = polls.map { world.run($0, .text(200, Self.xml, Self.restore("live-1"))) }
        #expect(played.allSatisfy { $0.isSame })
        #expect(world.sent.count == 1)
        world = HTTPWorld(polls)
        #expect(polls.map { world.run($0, .text(202)) }.allSatisfy { $0.isSame })
        #expect(world.sent.count == 3)
    }

    @Test func `asks for everything after a 412 and goes on`() {
        let known = Self.hash(["case-one"])
        let first = Recorded(
            1, "GET /a/demo/phone/restore/?since=token-a&state=\(known)&user_id=u",
            fields: ["X-CommCareHQ-LastSyncToken: token-a"], status: 200, answerFields: Self.xml,
            answer: Self.restore("token-b"))
        var world = HTTPWorld([first])
        let played = world.run(
            first, .text(412), .text(202, ["Retry-After: 3"]),
            .text(200, Self.xml, Self.restore("live-1", ["case-one", "case-two"])),
            .text(200, Self.xml, Self.restore("live-2")))
        #expect(played.isSame)
        #expect(
            world.sent.map(\.query) == [
                "since=token-a&state=\(known)&user_id=u", "user_id=u", "user_id=u",
                "since=live-1&state="
                    + Self.hash(["case-one", "case-two"])
                    .split(separator: ":").joined(separator: "%3A") + "&user_id=u",
            ])
        #expect(world.sent[1].value("x-commcarehq-lastsynctoken") == nil)
        #expect(world.sent[3].value("x-commcarehq-lastsynctoken") == "live-1")
        #expect(played.bridged.first?.contains("412") == true)
        #expect(played.waited == 3_000_000_000)
    }

    @Test func `recovers once and then says what differs`() {
        let first = Recorded(
            1, "GET /a/demo/phone/restore/?since=token-a&state=ccsh:", status: 200,
            answerFields: Self.xml, answer: Self.restore("token-b"))
        var world = HTTPWorld([first])
        var played = world.run(first, .text(412), .text(500))
        #expect(played.status == 412)
        #expect(played.places.first == "status")
        world = HTTPWorld([first])
        played = world.run(
            first, .text(412), .text(200, Self.xml, Self.restore("live-1")), .text(412))
        #expect(played.status == 412)
        #expect(world.sent.count == 3)
    }

    @Test(arguments: [429, 503])
    func `waits as long as the server asks and then sends the same again`(status: Int) {
        let form = Self.submission(1, Self.form())
        var world = HTTPWorld([form])
        let played = world.run(
            form, .text(status, ["Retry-After: 20"]),
            .text(
                status,
                [
                    "Date: Sun, 06 Nov 1994 08:49:37 GMT",
                    "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT",
                ]), Self.thanked)
        #expect(played.isSame)
        #expect(
            played.bridged
                == [20, 30].map {
                    "the server answered \(status): sent again after \($0) s"
                })
        #expect(played.requests == 3)
        #expect(played.waited == 50_000_000_000)
        #expect(Set(world.sent).count == 1)
        #expect(played.latency == 1_000_000_000)
    }

    @Test(
        arguments: [
            (["Retry-After: 30"], ["Retry-After: 60"], "Retry-After: recorded 30 s, received 60 s"),
            (["Retry-After: 30"], ["Retry-After: 30"], nil),
            (
                ["Retry-After: 30"],
                [
                    "Date: Sun, 06 Nov 1994 08:49:37 GMT",
                    "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT",
                ],
                nil
            ),
            (
                [
                    "Date: Sun, 06 Nov 1994 08:49:37 GMT",
                    "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT",
                ],
                ["Retry-After: 3"], "Retry-After: recorded 30 s, received 3 s"
            ),
        ] as [([String], [String], String?)])
    func `another pause of a recorded refusal is bridged`(
        recorded: [String], live: [String], bridged: String?
    ) {
        let refused = Recorded(
            1, "POST /a/demo/receiver/", status: 503, answerFields: recorded, answer: "later")
        var world = HTTPWorld([refused])
        let played = world.run(refused, .text(503, live, "later"))
        #expect(played.isSame)
        #expect(played.bridged == (bridged.map { [$0] } ?? []))
    }

    @Test func `a device without cases states so under any name`() {
        // The form was refused for good, and the recorded device has forgotten it.
        for (status, sent, live) in [
            (422, "ccsh:", "ccsh:"), (422, Self.hash([Self.child]), Self.hash([Self.child])),
            // What the device counts is its matter: it has none here and there.
            (201, "ccsh:", "ccsh:"),
        ] {
            let first = Recorded(
                1, "GET /a/demo/phone/restore/?version=2.0", status: 200, answerFields: Self.xml,
                answer: Self.restore("token-a"))
            var form = Self.submission(
                2, Self.form(Self.instance, Self.block(Self.child)),
                ["X-CommCareHQ-LastSyncToken: token-a"])
            form.exchange.status = status
            let second = Recorded(
                3, "GET /a/demo/phone/restore/?since=token-a&state=\(sent)", status: 200,
                answerFields: Self.xml, answer: Self.restore("token-b"))
            var world = HTTPWorld([first, form, second])
            _ = world.run(first, .text(200, Self.xml, Self.restore("live-1")))
            _ = world.run(form, .text(status, Self.xml, Self.thanks))
            _ = world.run(second, .text(200, Self.xml, Self.restore("live-2")))
            let query = world.last.query?.replacing("%3A", with: ":")
            #expect(query?.hasSuffix("&state=\(live)") == true, "\(query ?? "none")")
        }
    }

    @Test func `gives up after some tries and growing pauses`() {
        let form = Self.submission(1, Self.form())
        var world = HTTPWorld([form])
        var played = world.run(form, .text(503))
        #expect(played.requests == 6)
        #expect(played.waited >= 31_000_000_000 && played.waited < 38_000_000_000)
        #expect(played.places.first == "status")
        world = HTTPWorld([form])
        played = world.run(form, .text(503, ["Retry-After: 86400"]))
        #expect(played.requests == 1)
        #expect(played.waited == 0)
        // What was recorded as refused is no reason to wait.
        let refused = Recorded(1, "POST /a/demo/receiver/", status: 503, answer: "later")
        world = HTTPWorld([refused])
        played = world.run(refused, .text(503, ["Retry-After: 9"], "later"))
        #expect(played.places == ["header retry-after"])
        #expect(played.requests == 1)
    }

    @Test func `a refused login is a difference`() {
        let form = Self.submission(1, Self.form(), ["Authorization: Basic YW5uOnNlY3JldA=="])
        var world = HTTPWorld([form])
        let played = world.run(form, .text(401, ["WWW-Authenticate: Digest realm=\"a\""]))
        #expect(played.places.first == "status")
        #expect(world.last.value("authorization") == "Basic YW5uOnNlY3JldA==")
    }
}
