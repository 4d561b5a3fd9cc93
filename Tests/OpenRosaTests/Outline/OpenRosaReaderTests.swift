import Notation
import Testing

@testable import OpenRosa

private let responseSpace = "http://openrosa.org/http/response"

private func document(_ text: String, _ purpose: OpenRosaReader.Purpose = .any) -> OpenRosaDocument
{
    OpenRosaReader.read(Array(text.utf8), purpose: purpose)
}

private func codes(_ document: OpenRosaDocument) -> [String] { document.notes.map(\.code) }

private let restore = """
    <OpenRosaResponse xmlns="http://openrosa.org/http/response" items="9">
      <message nature="ota_restore_success">Welcome back, Zoë 👋</message>
      <Sync xmlns="http://commcarehq.org/sync"><restore_id>0123456789abcdef0123456789abcdef</restore_id></Sync>
      <Registration xmlns="http://openrosa.org/user/registration">
        <username>zoe</username><password>sha1$s$f</password><uuid>u-1</uuid><date>2024-05-06</date>
        <user_data><data key="a">1</data><data key="b">2</data></user_data>
      </Registration>
      <schema id="item-list:crops"><indices><index>@id</index></indices></schema>
      <fixture id="item-list:crops" indexed="true" user_id="u-1"><crops><case/><crop>rice</crop></crops></fixture>
      <fixture id="user-groups"><groups/></fixture>
      <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c-1" date_modified="2024-05-06T07:08:09Z" user_id="u-1">
        <create><case_type>farm</case_type><case_name>Près</case_name><owner_id>u-1</owner_id></create>
        <update><case>not a block</case></update>
        <index><parent case_type="village" relationship="extension">v-1</parent><b case_type="x">y</b></index>
        <attachment><photo src="p.jpg" from="local"/></attachment>
      </case>
      <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c-2" date_modified="2024-05-06T07:08:09Z"><close/></case>
      <n:balance xmlns:n="http://commcarehq.org/ledger/v1" entity-id="c-1" date="2024-05-06"><entry id="e" quantity="4"/></n:balance>
    </OpenRosaResponse>
    """

@Suite struct OpenRosaReaderTests {
    @Test(arguments: OpenRosaNature.allCases) func `every nature`(nature: OpenRosaNature) {
        let text =
            "<OpenRosaResponse xmlns='\(responseSpace)'><message nature='\(nature.rawValue)'> ça va </message></OpenRosaResponse>"
        let found = document(text)
        #expect(found.knownNature == nature)
        #expect(found.message == "ça va")
        #expect(found.kind == (nature == .restoreSuccess ? .restore : .response))
        #expect(codes(found) == (nature == .restoreSuccess ? ["openrosa.restore-id-missing"] : []))
    }

    @Test func `a full restore`() {
        let found = document(restore)
        #expect(found.problem == nil)
        #expect(found.kind == .restore)
        #expect(found.root == "OpenRosaResponse")
        #expect(found.namespace == responseSpace)
        #expect(found.items == "9")
        #expect(found.children == 9)
        #expect(found.message == "Welcome back, Zoë 👋")
        #expect(found.restoreID == "0123456789abcdef0123456789abcdef")
        #expect(
            found.registration
                == .init(
                    username: "zoe", uuid: "u-1", date: "2024-05-06", hasPassword: true, data: 2))
        #expect(found.cases.blocks == 2)
        #expect(found.cases.version2 == 2)
        #expect(found.cases.creates == 1)
        #expect(found.cases.updates == 1)
        #expect(found.cases.closes == 1)
        #expect(found.cases.indices == 2)
        #expect(found.cases.attachments == 1)
        #expect(found.cases.ids == ["c-1", "c-2"])
        #expect(found.fixtures == 2)
        #expect(found.fixtureIDs == ["item-list:crops", "user-groups"])
        #expect(found.schemas == 1)
        #expect(found.ledgers == 1)
        #expect(codes(found) == [])
    }

    @Test func `a restore cut anywhere says the same`() {
        let bytes = Array(restore.utf8)
        let whole = OpenRosaReader.read(bytes)
        let reader = OpenRosaReader()
        for byte in bytes { reader.feed([byte].span) }
        #expect(reader.finish() == whole)
        for seed in 0..<50 {
            var random = SplitMix64(seed: UInt64(seed))
            let reader = OpenRosaReader()
            for piece in cut(bytes, &random) { reader.feed(piece.span) }
            #expect(reader.finish() == whole)
        }
    }

    @Test func `a truncated restore keeps what came`() {
        let text = String(restore.prefix(while: { $0 != "9" })) + "9'>"
        #expect(document(text).problem != nil)
        let cut = document(String(restore.dropLast(30)))
        #expect(cut.problem?.reason == .truncated(inside: "balance"))
        #expect(cut.cases.blocks == 2)
        #expect(codes(cut) == [])
    }

    @Test func `a document that breaks off keeps what had begun`() {
        let form = document(
            "<f xmlns='urn:f'><case case_id='c'/><meta><deviceID>d</deviceID><instanceID>i</instanceID><userID>u"
        )
        #expect(form.kind == .form)
        #expect(form.root == "f")
        #expect(form.namespace == "urn:f")
        #expect(form.form?.meta?.instanceID == "i")
        #expect(form.form?.meta?.userID == nil)
        #expect(!codes(form).contains("openrosa.instance-id-missing"))
        let message = document("<OpenRosaResponse><message nature='submit_success'>than")
        #expect(message.nature == "submit_success")
        #expect(message.message == nil)
        let groups = document(
            "<OpenRosaResponse><fixture id='user-groups'><groups><group id='a'/><group id='b'")
        #expect(groups.kind == .restore)
        #expect(groups.fixtures == 1)
        #expect(groups.groups == ["a"])
        let block = document("<OpenRosaResponse><case case_id='c'><update><a>1</a>")
        #expect(block.cases.blocks == 0)
        #expect(codes(document("<html><p>x")) == [])
    }

    @Test func `the user and the groups are the owners`() {
        func owners(_ groups: Int) -> [String]? {
            let list = (0..<groups).map { "<group id='g\($0)'/>" }.joined()
            return document(
                "<OpenRosaResponse><Registration><uuid>u</uuid></Registration><fixture id='user-groups'><groups>\(list)</groups></fixture></OpenRosaResponse>"
            ).owners
        }
        #expect(owners(2) == ["u", "g0", "g1"])
        #expect(owners(0) == nil)
        #expect(owners(OpenRosaDocument.longestList) == nil, "more may have been left out")
    }

    @Test func `a pending restore`() {
        let found = document(
            "<OpenRosaResponse xmlns='\(responseSpace)'><message nature='ota_restore_pending'/><Sync xmlns='http://commcarehq.org/sync'><progress done='55' total='10000' retry-after='5'/></Sync></OpenRosaResponse>"
        )
        #expect(found.kind == .response)
        #expect(found.progress == .init(done: "55", total: "10000", retryAfter: "5"))
        #expect(found.message == "")
        #expect(codes(found) == [])
    }

    @Test(
        arguments: [
            ("<OpenRosaResponse><message/></OpenRosaResponse>", ["openrosa.namespace-missing"]),
            (
                "<OpenRosaResponse xmlns='urn:x'><message/></OpenRosaResponse>",
                ["openrosa.namespace-unexpected"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'/>",
                ["openrosa.message-missing"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message nature='odd'/><message/></OpenRosaResponse>",
                ["openrosa.nature-unknown", "openrosa.message-repeated"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response' items='5'><x/><message/></OpenRosaResponse>",
                ["openrosa.message-not-first", "openrosa.items-differ"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response' items='two'><message/></OpenRosaResponse>",
                ["openrosa.items-not-a-number"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message/><progress done='9' total='5'/></OpenRosaResponse>",
                ["openrosa.progress-malformed"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message/><Sync xmlns='http://commcarehq.org/sync'><x/><restore_id/><restore_id>2</restore_id></Sync></OpenRosaResponse>",
                [
                    "openrosa.restore-id-not-first", "openrosa.restore-id-repeated",
                    "openrosa.restore-id-missing",
                ]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message/><Sync xmlns='http://commcarehq.org/sync'><restore_id>1</restore_id></Sync><Registration><uuid/><username/></Registration><fixture/><fixture id='a' indexed='true'/></OpenRosaResponse>",
                [
                    "openrosa.registration-order", "openrosa.registration-incomplete",
                    "openrosa.fixture-id-missing", "openrosa.fixture-schema-missing",
                ]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message/><Sync xmlns='http://commcarehq.org/sync'><restore_id>1</restore_id></Sync><case xmlns='http://commcarehq.org/case/transaction/v2'><create/></case><case case_id='a' date_modified='x'><index><p relationship=''>a</p></index></case></OpenRosaResponse>",
                [
                    "openrosa.case-id-missing", "openrosa.case-date-missing",
                    "openrosa.create-incomplete", "openrosa.owner-missing",
                    "openrosa.case-namespace", "openrosa.index-relationship",
                    "openrosa.index-self",
                ]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response'><message/><p:x/></OpenRosaResponse>",
                ["openrosa.xml-namespace"]
            ),
            (
                "<data><meta><deviceID>d</deviceID></meta></data>",
                ["openrosa.xmlns-missing", "openrosa.instance-id-missing"]
            ),
            (
                "<data xmlns='urn:f'><meta xmlns='urn:odd'><instanceID>1</instanceID><instanceID>2</instanceID></meta></data>",
                ["openrosa.meta-namespace", "openrosa.instance-id-repeated"]
            ),
        ] as [(String, [String])])
    func `notes`(text: String, expected: [String]) {
        #expect(codes(document(text)) == expected)
        let known = Set(OpenRosaNote.codes.map(\.code))
        #expect(expected.allSatisfy(known.contains))
    }

    @Test(arguments: [
        ("", "urn:f"), (" xmlns='http://openrosa.org/jr/xforms'", "http://openrosa.org/jr/xforms"),
        (" xmlns='http://openrosa.org/xforms'", "http://openrosa.org/xforms"),
        (" xmlns='http://openrosa.org/xforms/'", "http://openrosa.org/xforms/"),
    ]) func `forms with each meta namespace`(declaration: String, namespace: String) {
        let found = document(
            """
            <?xml version='1.0'?><data xmlns="urn:f" name="Visite à domicile" version="7" uiVersion="1">
            <q><case case_id="c" date_modified="2024-01-01" xmlns="http://commcarehq.org/case/transaction/v2"><update><a>1</a></update></case></q>
            <meta\(declaration)><deviceID>d</deviceID><timeStart>2024-01-01T10:00:00Z</timeStart><timeEnd>2024-01-01T10:05:00Z</timeEnd>
            <username>zoé</username><userID>u</userID><instanceID>i-1</instanceID><appVersion>2.53 😀</appVersion><drift>0</drift></meta></data>
            """)
        #expect(found.kind == .form)
        #expect(found.namespace == "urn:f")
        #expect(found.form?.name == "Visite à domicile")
        #expect(found.form?.version == "7")
        #expect(found.form?.uiVersion == "1")
        var meta = OpenRosaDocument.Meta()
        meta.namespace = namespace
        meta.instanceID = "i-1"
        meta.deviceID = "d"
        meta.timeStart = "2024-01-01T10:00:00Z"
        meta.timeEnd = "2024-01-01T10:05:00Z"
        meta.username = "zoé"
        meta.userID = "u"
        meta.appVersion = "2.53 😀"
        meta.drift = "0"
        #expect(found.form?.meta == meta)
        #expect(found.cases.blocks == 1)
        #expect(found.cases.updates == 1)
        #expect(codes(found) == [])
    }

    @Test func `case blocks of version 1`() {
        let found = document(
            """
            <data xmlns="urn:f"><case><case_id> old-1 </case_id><date_modified>2011-01-01</date_modified>
            <create><case_type_id>t</case_type_id><user_id>u</user_id><case_name>n</case_name><external_id/></create>
            <update><owner_id>o</owner_id></update></case><case>a question</case><case><q>no block</q></case>
            <meta><instanceID>i</instanceID></meta></data>
            """)
        #expect(found.cases.blocks == 1)
        #expect(found.cases.version1 == 1)
        #expect(found.cases.creates == 1)
        #expect(found.cases.ids == ["old-1"])
        #expect(codes(found) == [])
    }

    @Test func `form lists, manifests, and other XML`() {
        let list = document(
            "<xforms xmlns='http://openrosa.org/xforms/xformsList'><xform><formID>a</formID></xform><xform/></xforms>"
        )
        #expect(list.kind == .formList)
        #expect(list.forms == 2)
        #expect(document("<forms><form url='u'>A</form></forms>").forms == 1)
        let manifest = document(
            "<manifest xmlns='http://openrosa.org/xforms/xformsManifest'><mediaFile><filename>x</filename></mediaFile></manifest>"
        )
        #expect(manifest.kind == .manifest)
        #expect(manifest.mediaFiles == 1)
        let other = document("<html><body/></html>")
        #expect(other.kind == .xml)
        #expect(other.form == nil)
        #expect(codes(other) == [])
        #expect(document("<html/>", .submission).kind == .form)
        #expect(
            codes(document("<html/>", .submission)) == [
                "openrosa.xmlns-missing", "openrosa.meta-missing",
            ])
    }

    @Test func `keeps bounded lists and texts`() {
        let blocks = (0..<500).map {
            "<case case_id='\($0)' date_modified='x' xmlns='http://commcarehq.org/case/transaction/v2'/>"
        }
        let long = String(repeating: "é", count: 5000)
        let found = document(
            "<OpenRosaResponse xmlns='\(responseSpace)'><message nature='\(long)'>x\(long)</message>\(blocks.joined())</OpenRosaResponse>"
        )
        #expect(found.cases.blocks == 500)
        #expect(found.cases.ids.count == OpenRosaDocument.longestList)
        #expect((found.message?.utf8.count ?? 0) <= OpenRosaDocument.longestText)
        #expect((found.message?.utf8.count ?? 0) >= OpenRosaDocument.longestText - 4)
        #expect(found.message?.unicodeScalars.contains("\u{FFFD}") == false)
        #expect((found.nature?.utf8.count ?? 0) <= OpenRosaDocument.longestText)
    }
}
