import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct RestoreSummaryTests {
    private func at(_ offset: Int64) -> XMLPosition {
        XMLPosition(offset: offset, line: 1, column: 1)
    }

    @Test func `counts a restore by its parts`() {
        var summary = RestoreSummary()
        var create = CaseBlock.of("a", create: .init(caseType: "patient", caseName: "n"))
        create.position = at(500)
        var update = CaseBlock.of("b", close: true)
        update.position = at(600)
        let events: [CommCareEvent] = [
            .response(ResponseHead(items: "7", position: at(39))),
            .message(ResponseMessage(nature: "ota_restore_success", text: "", position: at(100))),
            .restoreID(RestoreID("token", position: at(150))),
            .registration(Registration(username: "zoë", position: at(200))),
            .note(OpenRosaNote("openrosa.items-differ", "")),
            .schema(FixtureSchema(id: "f", position: at(300))),
            .fixture(Fixture(id: "f", elements: 2, bytes: 320..<480, position: at(320))),
            .caseBlock(create), .caseBlock(update),
            .ledger(
                LedgerBlock(
                    .balance, entries: [.init(id: "p", quantity: "1")], position: at(700))),
            .end(DocumentEnd(kind: .restore, children: 7, position: at(800))),
        ]
        for event in events { summary.count(event) }
        #expect(summary.size == 800)
        #expect(summary.sections.values.map(\.bytes).reduce(0, +) == 800)
        #expect(summary.sections[.envelope] == .init(count: 2, bytes: 150))
        #expect(summary.sections[.sync] == .init(count: 1, bytes: 50))
        #expect(summary.sections[.registration] == .init(count: 1, bytes: 100))
        #expect(summary.sections[.fixtures] == .init(count: 2, bytes: 200))
        #expect(summary.sections[.cases] == .init(count: 2, bytes: 200))
        #expect(summary.sections[.ledgers] == .init(count: 1, bytes: 100))
        #expect(summary.sections[.other] == nil)
        #expect(summary.cases == 2)
        #expect(summary.casesByType == [ExactText("patient"): 1])
        #expect(summary.casesWithoutType == 1)
        #expect(summary.closes == 1)
        #expect(summary.fixtures == [ExactText("f"): .init(count: 1, bytes: 160)])
        #expect(summary.ledgerEntries == 1)
        #expect(summary.restoreID == "token")
        #expect(summary.nature == "ota_restore_success")
        #expect(summary.username == "zoë")
        #expect(summary.items == "7")
    }

    @Test func `keeps a bounded number of names and counts all`() {
        var summary = RestoreSummary()
        for place in 0..<3000 {
            summary.count(
                .caseBlock(.of("\(place)", create: .init(caseType: "t\(place)", caseName: "n"))))
            summary.count(.fixture(Fixture(id: "f\(place)", elements: 1)))
        }
        #expect(summary.cases == 3000)
        #expect(summary.casesByType.count == RestoreSummary.maxNames)
        #expect(summary.fixtures.count == RestoreSummary.maxNames)
        #expect(summary.sections[.fixtures]?.count == 3000)
        #expect(summary.size == nil)
    }
}
