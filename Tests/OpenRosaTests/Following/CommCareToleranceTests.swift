import Testing

@testable import OpenRosa

/// What real servers and clients send, what is read from it, and what is noted.
@Suite struct CommCareToleranceTests {
    private static let case2 = "http://commcarehq.org/case/transaction/v2"

    @Test(
        arguments: [
            // Without namespaces, with prefixes, with letters in any case.
            (
                "<OpenRosaResponse><message nature='ota_restore_success'/><Sync><restore_id>1</restore_id></Sync></OpenRosaResponse>",
                ["openrosa.namespace-missing", "openrosa.namespace-missing"]
            ),
            (
                "<o:OpenRosaResponse xmlns:o='http://openrosa.org/http/response'><o:message nature='submit_success'/></o:OpenRosaResponse>",
                []
            ),
            (
                restore(
                    "<r:REGISTRATION xmlns:r='http://openrosa.org/user-registration'><r:username>a</r:username><r:password/><r:uuid>u</r:uuid><r:date>d</r:date></r:REGISTRATION>"
                ), []
            ),
            (
                restore(
                    "<FIXTURE id='a'/><Schema id='a'/><Case xmlns='\(case2)' case_id='c' date_modified='d'/>"
                ), []
            ),
            (
                restore("").replacing("<restore_id>", with: "<hash/><restore_id>"),
                ["openrosa.restore-id-not-first"]
            ),
            (
                restore("").replacing(
                    "<restore_id>1", with: "<restore_id>1</restore_id><restore_id>2"),
                ["openrosa.restore-id-repeated"]
            ),
            (
                restore("").replacing("<restore_id>1", with: "<restore_id>"),
                ["openrosa.restore-id-missing"]
            ),
            (restore("<message/>"), ["openrosa.message-repeated"]),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response' items='2'><x/><message nature='strange'/></OpenRosaResponse>",
                ["openrosa.message-not-first", "openrosa.nature-unknown"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response' items='3'/>",
                ["openrosa.message-missing", "openrosa.items-differ"]
            ),
            (
                "<OpenRosaResponse xmlns='http://openrosa.org/http/response' items='x'><message/></OpenRosaResponse>",
                ["openrosa.items-not-a-number"]
            ),
            (
                "<OpenRosaResponse xmlns='urn:x'><message/><progress done='3' total='2'/></OpenRosaResponse>",
                ["openrosa.namespace-unexpected", "openrosa.progress-malformed"]
            ),
            (
                restore("<Registration><uuid>u</uuid><username>a</username><shoe/></Registration>"),
                [
                    "openrosa.registration-order", "openrosa.registration-order",
                    "openrosa.registration-unknown", "openrosa.registration-incomplete",
                ]
            ),
            (
                restore("<fixture/><fixture id=''/>"),
                ["openrosa.fixture-id-missing", "openrosa.fixture-id-missing"]
            ),
            (
                restore("<fixture id='a' indexed='true'/><schema id='a'/>"),
                ["openrosa.fixture-schema-missing"]
            ),
            (restore("<p:x/>"), ["openrosa.xml-namespace"]),
            // Case blocks.
            (
                restore("<case xmlns='\(case2)'><create/></case>"),
                [
                    "openrosa.case-id-missing", "openrosa.case-date-missing",
                    "openrosa.create-incomplete", "openrosa.owner-missing",
                ]
            ),
            (restore("<case case_id='c' date_modified='d'/>"), ["openrosa.case-namespace"]),
            (
                restore(
                    block(
                        "<create><case_type>t</case_type><case_name>n</case_name><x>1</x></create>")
                ),
                ["openrosa.create-unknown"]
            ),
            (
                restore(
                    block("<index><p relationship=''>x</p><q relationship='cousin'>c</q></index>")),
                [
                    "openrosa.index-relationship", "openrosa.index-relationship",
                    "openrosa.index-self",
                ]
            ),
            (restore(block("<update><a>1<b>2</b>3</a></update>")), ["openrosa.property-nested"]),
            (
                restore(
                    block(
                        "<update><case_name>\(String(repeating: "é", count: 256))</case_name></update>"
                    )),
                ["openrosa.value-too-long"]
            ),
            (
                restore(
                    block(
                        "<update><case_name>\(String(repeating: "é", count: 255))</case_name><other>\(String(repeating: "é", count: 256))</other></update>"
                    )),
                []
            ),
            (
                restore(
                    "<case><case_id>c</case_id><date_modified>d</date_modified><index><p>q</p></index></case>"
                ), ["openrosa.version-1-index"]
            ),
            // Ledgers.
            (
                restore("<balance xmlns='http://commcarehq.org/ledger/v1'><entry/></balance>"),
                ["openrosa.ledger-incomplete", "openrosa.ledger-incomplete"]
            ),
            // Forms.
            (
                "<data><meta><deviceID>d</deviceID></meta></data>",
                ["openrosa.xmlns-missing", "openrosa.instance-id-missing"]
            ),
            (
                "<data xmlns='urn:f'><meta xmlns='urn:odd'><instanceID>1</instanceID><instanceID>2</instanceID></meta></data>",
                ["openrosa.meta-namespace", "openrosa.instance-id-repeated"]
            ),
            ("<data xmlns='urn:f'>\(block(""))</data>", ["openrosa.meta-missing"]),
            // Lists.
            (
                "<xforms><xform><name>a</name></xform></xforms>",
                ["openrosa.namespace-missing", "openrosa.listed-form-incomplete"]
            ),
            (
                "<manifest xmlns='http://openrosa.org/xforms/xformsManifest'><mediaFile/></manifest>",
                ["openrosa.media-file-incomplete"]
            ),
        ] as [(String, [String])])
    func `notes`(text: String, expected: [String]) {
        let reading = Reading(text)
        #expect(reading.error == nil)
        #expect(reading.codes == expected)
        let known = Set(OpenRosaNote.codes.map(\.code))
        #expect(known.isSuperset(of: reading.codes))
        #expect(Reading(singles(Array(text.utf8))) == reading)
        // Both readers note the same, this one more.
        let outline = OpenRosaReader.read(Array(text.utf8))
        #expect(Set(reading.codes).isSuperset(of: outline.notes.map(\.code)))
        #expect(outline.kind == reading.end?.kind)
        #expect(outline.cases.blocks == reading.blocks.count)
    }

    @Test func `a second update goes on with the first`() {
        let found = Reading(
            restore(block("<update><a>1</a></update><x/><update><a>2</a></update><update/>")))
        #expect(found.blocks.first?.update == [.init("a", "1"), .init("a", "2")])
        #expect(Reading(restore(block("<update/>"))).blocks.first?.update == [])
        #expect(Reading(restore(block(""))).blocks.first?.update == nil)
    }

    @Test func `the text around elements in a property`() {
        let found = Reading(restore(block("<update><a> 1 <b>2</b> 3 </a><c>4</c></update>")))
        #expect(found.blocks.first?.update == [.init("a", "1  3"), .init("c", "4")])
    }

    @Test func `secrets are not kept`() {
        let text = restore(
            "<Registration><username>a</username><password>s3cret</password><uuid>u</uuid><date>d</date><token>t0ken</token><registering_phone_id>ph</registering_phone_id></Registration>"
        )
        let reading = Reading(text)
        let printed = "\(reading)"
        #expect(!printed.contains("s3cret") && !printed.contains("t0ken"))
        guard case .registration(let registration)? = reading.said.last else {
            Issue.record("no registration")
            return
        }
        #expect(registration.hasPassword && registration.hasToken)
        #expect(registration.phoneID == "ph")
    }
}
