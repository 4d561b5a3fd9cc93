import Notation
import Testing
import Wire

@testable import OpenRosa

/// What a device has after whole documents.
@Suite struct CaseSetDocumentTests {
    private static let restore = """
        <?xml version="1.0" encoding="UTF-8"?>
        <OpenRosaResponse xmlns="http://openrosa.org/http/response" items="8">
          <message nature="ota_restore_success">Successfully restored account zoë!</message>
          <Sync xmlns="http://commcarehq.org/sync"><restore_id>token-1</restore_id></Sync>
          <Registration xmlns="http://openrosa.org/user/registration">
            <username>zoë</username><password>sha1$1$2</password><uuid>me</uuid>
            <date>2026-01-01</date><user_data><data key="role">nurse 😀</data></user_data>
          </Registration>
          <fixture id="item-list:x" user_id="me"><x_list><x/></x_list></fixture>
          <fixture id="empty" user_id="me"/>
          <case case_id="h1" date_modified="2026-01-02T03:04:05.000Z" user_id="me"
            xmlns="http://commcarehq.org/case/transaction/v2">
            <create><case_type>household</case_type><case_name>Café</case_name><owner_id>me</owner_id></create>
          </case>
          <case case_id="p1" date_modified="2026-01-02T03:04:05.000Z" user_id="me"
            xmlns="http://commcarehq.org/case/transaction/v2">
            <create><case_type>patient</case_type><case_name>Zoë</case_name><owner_id>me</owner_id></create>
            <update><age>7</age></update>
            <index><parent case_type="household">h1</parent></index>
          </case>
          <n0:balance xmlns:n0="http://commcarehq.org/ledger/v1" date="2026-01-02T00:00:00Z"
            entity-id="h1" section-id="stock"><n0:entry id="pill" quantity="12"/></n0:balance>
        </OpenRosaResponse>
        """
    private static let form = """
        <data xmlns="http://example.org/visit" name="Visit" version="3">
          <case case_id="p1" date_modified="2026-02-01T10:00:00.000+02:00" user_id="me"
            xmlns="http://commcarehq.org/case/transaction/v2">
            <update><age>8</age></update><close/>
          </case>
          <case case_id="p2" date_modified="2026-02-01T10:00:00.000+02:00" user_id="me"
            xmlns="http://commcarehq.org/case/transaction/v2">
            <create><case_type>patient</case_type><case_name>Ada</case_name><owner_id>me</owner_id></create>
          </case>
          <transfer xmlns="http://commcarehq.org/ledger/v1" date="2026-02-01" src="h1" dest="p2"
            section-id="stock"><entry id="pill" quantity="5"/></transfer>
          <meta><instanceID>i-1</instanceID></meta>
        </data>
        """

    private func restored(
        _ text: String, _ extent: RestoreInProgress.Extent, on set: CaseSet
    ) throws -> CaseSet {
        let (events, error) = CommCareReader.read(Array(text.utf8))
        if let error { throw error }
        var restore = RestoreInProgress(extent, of: set)
        for event in events { try restore.receive(event) }
        return restore.finish()
    }

    @Test func `a restore, a form and what the device and the server make of it`() throws {
        var set = try restored(Self.restore, .full, on: CaseSet())
        #expect(set.cases.keys.map(\.string).sorted() == ["h1", "p1"])
        #expect(set.restoreID == "token-1")
        #expect(set.user?.username == "zoë")
        #expect(set.user?.data[ExactText("role")] == "nurse 😀")
        #expect(set.fixtures == [.init(id: "item-list:x", userID: "me")])
        #expect(set["p1"]?[index: "parent"] == .init(target: "h1", caseType: "household"))
        #expect(set.ledgers["h1", "stock", "pill"] == 12)
        let owners: Set = [ExactText("me")]
        var log = SyncLog(set, ownerIDs: owners)

        let (events, error) = CommCareReader.read(Array(Self.form.utf8), purpose: .submission)
        #expect(error == nil)
        #expect(try set.submit(events).isEmpty)
        #expect(set["p1"]?.isClosed == true)
        #expect(set["p1"]?[property: "age"] == "8")
        #expect(set.ledgers["h1", "stock", "pill"] == 7)
        #expect(set.ledgers["p2", "stock", "pill"] == 5)
        #expect(set.stateHash == CaseStateHash(caseIDs: ["h1", "p1", "p2"]))

        log.apply(
            events.compactMap { event in
                guard case .caseBlock(let block) = event else { return nil }
                return block
            })
        #expect(try set.purge(owners: owners).removed == [ExactText("p1")])
        #expect(log.stateHash == set.stateHash)
    }

    @Test func `counts the restore`() throws {
        let bytes = Array(Self.restore.utf8)
        var summary = RestoreSummary()
        for event in CommCareReader.read(bytes).events { summary.count(event) }
        #expect(summary.size == Int64(bytes.count))
        #expect(summary.sections.values.map(\.bytes).reduce(0, +) == Int64(bytes.count))
        #expect(summary.cases == 2)
        #expect(summary.casesByType == [ExactText("patient"): 1, ExactText("household"): 1])
        #expect(summary.fixtures.count == 2)
        #expect(summary.ledgerEntries == 1)
        #expect(summary.restoreID == "token-1")
        #expect(summary.items == "8")
    }

    @Test func `a restore cut anywhere changes nothing`() throws {
        var set = CaseSet()
        set.put(CaseState(id: "old"))
        let before = set
        let bytes = Array(Self.restore.utf8)
        for length in 0..<bytes.count {
            let text = String(decoding: bytes[..<length], as: UTF8.self)
            #expect(throws: XMLError.self) { set = try restored(text, .full, on: set) }
        }
        #expect(set == before)
        set = try restored(Self.restore, .incremental, on: set)
        #expect(set.cases.count == 3)
        set = try restored(Self.restore, .full, on: set)
        #expect(set["old"] == nil)
    }
}
