import Notation
import Testing

@testable import OpenRosa

private let whole = """
    <?xml version='1.0' encoding='UTF-8'?>
    <OpenRosaResponse xmlns="http://openrosa.org/http/response" items="10">
      <message nature="ota_restore_success">Bienvenue, Zoë 👋</message>
      <Sync xmlns="http://commcarehq.org/sync"><restore_id>0123456789abcdef</restore_id></Sync>
      <Registration xmlns="http://openrosa.org/user/registration">
        <username>zoé</username><password>sha1$s$f</password><uuid>u-1</uuid><date>2024-05-06</date>
        <user_data><data key="régión">Nord &amp; Süd</data><data key="b"/></user_data>
      </Registration>
      <schema id="item-list:crops"><indices><index>@id</index><index>name</index></indices></schema>
      <fixture id="item-list:crops" indexed="true" user_id="u-1"><crops><case case_id="no"/><crop>riz</crop></crops></fixture>
      <fixture id="user-groups"/>
      <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c-1" date_modified="2024-05-06T07:08:09Z" user_id="u-1">
        <create><case_type>farm</case_type><case_name> Près 🌾 </case_name><owner_id>u-1</owner_id></create>
        <update><crop>mil</crop><crop>日本</crop><empty/><raw><![CDATA[<b> & co]]></raw></update>
        <index><parent case_type="village" relationship="extension">v-1</parent><gone case_type="x"/></index>
        <attachment><photo src="p.jpg" from="local"/><old/></attachment>
      </case>
      <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c-2" date_modified="2024-05-06T07:08:09Z" user_id="u-1"><close/></case>
      <n:balance xmlns:n="http://commcarehq.org/ledger/v1" entity-id="c-1" date="2024-05-06" section-id="soh"><n:entry id="e" quantity="4"/></n:balance>
      <saved xmlns="urn:form"><q>1</q></saved>
    </OpenRosaResponse>
    """

@Suite struct CommCareRestoreTests {
    @Test func `everything that a restore says`() throws {
        let reading = Reading(whole)
        #expect(reading.error == nil)
        #expect(reading.codes == [])
        func at(_ part: String) throws -> XMLPosition { try #require(place(of: part, in: whole)) }
        func bytes(_ open: String, _ close: String) throws -> Range<Int64> {
            let end = try at(close).offset + Int64(close.utf8.count)
            return try at(open).offset..<end
        }
        let expected: [CommCareEvent] = [
            .response(
                ResponseHead(
                    namespace: "http://openrosa.org/http/response", items: "10",
                    position: try at("<OpenRosaResponse"))),
            .message(
                ResponseMessage(
                    nature: "ota_restore_success", text: "Bienvenue, Zoë 👋",
                    position: try at("<message"))),
            .restoreID(RestoreID("0123456789abcdef", position: try at("<restore_id"))),
            .registration(
                Registration(
                    username: "zoé", uuid: "u-1", date: "2024-05-06", hasPassword: true,
                    userData: [.init("régión", "Nord & Süd"), .init("b", "")],
                    position: try at("<Registration"))),
            .schema(
                FixtureSchema(
                    id: "item-list:crops", indices: ["@id", "name"], position: try at("<schema"))),
            .fixture(
                Fixture(
                    id: "item-list:crops", userID: "u-1", isIndexed: true, elements: 3,
                    bytes: try bytes("<fixture id=\"item", "</fixture>"),
                    position: try at("<fixture id=\"item"))),
            .fixture(
                Fixture(
                    id: "user-groups",
                    bytes: try bytes("<fixture id=\"user", "<fixture id=\"user-groups\"/>"),
                    groups: [],
                    position: try at("<fixture id=\"user"))),
            .caseBlock(
                CaseBlock(
                    caseID: "c-1", dateModified: "2024-05-06T07:08:09Z", userID: "u-1",
                    create: .init(caseType: "farm", caseName: "Près 🌾", ownerID: "u-1"),
                    update: [
                        .init("crop", "mil"), .init("crop", "日本"), .init("empty", ""),
                        .init("raw", "<b> & co"),
                    ],
                    indices: [
                        .init(
                            name: "parent", caseType: "village", relationship: "extension",
                            target: "v-1"), .init(name: "gone", caseType: "x", target: ""),
                    ],
                    attachments: [
                        .init(name: "photo", src: "p.jpg", from: "local"), .init(name: "old"),
                    ],
                    position: try at(
                        "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"c-1"))),
            .caseBlock(
                CaseBlock(
                    caseID: "c-2", dateModified: "2024-05-06T07:08:09Z", userID: "u-1",
                    isClosed: true,
                    position: try at(
                        "<case xmlns=\"http://commcarehq.org/case/transaction/v2\" case_id=\"c-2"))),
            .ledger(
                LedgerBlock(
                    .balance, entityID: "c-1", sectionID: "soh", date: "2024-05-06",
                    entries: [.init(id: "e", quantity: "4", sectionID: "soh")],
                    position: try at("<n:balance"))),
            .other(
                OtherElement(
                    XMLName("saved", namespace: "urn:form"), elements: 1,
                    bytes: try bytes("<saved", "</saved>"), position: try at("<saved"))),
        ]
        for (event, wanted) in zip(reading.said, expected) { #expect(event == wanted) }
        #expect(reading.said.count == expected.count)
        #expect(reading.end?.kind == .restore)
        #expect(reading.end?.children == 10)
        #expect(reading.end?.position.offset == Int64(whole.utf8.count))
    }

    @Test func `however it is cut`() {
        let bytes = Array(whole.utf8)
        let expected = Reading([bytes])
        #expect(Reading(singles(bytes)) == expected)
        for seed in 0..<100 {
            var random = SplitMix64(seed: UInt64(seed))
            #expect(Reading(cut(bytes, &random)) == expected, "seed \(seed)")
        }
    }

    @Test func `in UTF-16, with offsets of the document as sent`() {
        let text = restore(block("<update><crop>日本 😀</crop></update>"))
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let reading = Reading([bytes])
        #expect(reading.blocks.first?.update == [.init("crop", "日本 😀")])
        let start = place(of: "<case", in: text)?.offset ?? 0
        #expect(reading.blocks.first?.position.offset == 2 + 2 * start)
        #expect(Reading(singles(bytes)) == reading)
    }

    @Test func `what came before the document broke off stays`() {
        for count in stride(from: 40, to: whole.utf8.count, by: 37) {
            let bytes = Array(whole.utf8.prefix(count))
            let reading = Reading([bytes])
            #expect(reading.error != nil)
            #expect(reading.end == nil)
            #expect(Array(Reading(whole).events.prefix(reading.events.count)) == reading.events)
            #expect(Reading(singles(bytes)) == reading)
        }
    }

    @Test(arguments: 0..<300)
    func `damaged restores give an error or a result, however they are cut`(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var bytes = Array(whole.utf8)
        let marks = Array("<>/&\"'= x]-!".utf8) + [0x80, 0xF0, 0x00]
        for _ in 0...(random.next() % 3) {
            let place = Int(random.next() % UInt64(bytes.count))
            switch random.next() % 3 {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = marks[Int(random.next() % UInt64(marks.count))]
            default: bytes.insert(marks[Int(random.next() % UInt64(marks.count))], at: place)
            }
        }
        let reading = Reading([bytes])
        #expect((reading.error == nil) == (reading.end != nil))
        #expect(Reading(singles(bytes)) == reading)
        #expect(Reading(cut(bytes, &random)) == reading)
    }

    @Test(arguments: OpenRosaNature.allCases) func `every nature`(nature: OpenRosaNature) {
        let reading = Reading(
            "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message nature='\(nature.rawValue)'> ça va </message></OpenRosaResponse>"
        )
        guard case .message(let message)? = reading.said.last else {
            Issue.record("no message")
            return
        }
        #expect(message.knownNature == nature)
        #expect(message.text == "ça va")
        #expect(reading.end?.kind == (nature == .restoreSuccess ? .restore : .response))
    }

    @Test(arguments: ["<Sync xmlns='http://commcarehq.org/sync'>", "<Sync>", "<Sync xmlns=''>"])
    func `progress`(open: String) {
        let reading = Reading(
            "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message nature='ota_restore_pending'/>\(open)<Progress done='55' total='10000' retry-after='5'/></Sync></OpenRosaResponse>"
        )
        guard case .progress(var progress)? = reading.said.last else {
            Issue.record("no progress")
            return
        }
        progress.position = .start
        #expect(progress == RestoreProgress(done: "55", total: "10000", retryAfter: "5"))
        #expect(reading.end?.kind == .response)
    }

    @Test func `the groups of the user, and no others`() {
        func fixtures(_ text: String, _ bounds: CommCareBounds = CommCareBounds()) -> [Fixture] {
            Reading(restore(text), bounds: bounds).events.compactMap {
                if case .fixture(let fixture) = $0 { fixture } else { nil }
            }
        }
        let groups =
            "<groups><group id='a'><group id='x'/></group><q id='y'/><group/><group id='b'/></groups>"
        let found = fixtures(
            "<fixture id='user-groups' user_id='u'>\(groups)</fixture><fixture id='g'>\(groups)</fixture>"
        )
        #expect(found.map(\.groups) == [["a", "b"], nil])
        #expect(found.map(\.elements) == [6, 6])
        let many = (0..<50).map { "<group id='\($0)'/>" }.joined()
        let cut = fixtures(
            "<fixture id='user-groups'><groups>\(many)</groups></fixture><fixture id='b'/>",
            CommCareBounds(members: 10))
        #expect(cut.map { $0.groups?.count } == [10, nil])
        #expect(cut.map(\.isCut) == [true, false])
    }
}
