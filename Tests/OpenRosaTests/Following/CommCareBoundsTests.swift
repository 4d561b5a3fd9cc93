import Testing

@testable import OpenRosa

@Suite struct CommCareBoundsTests {
    @Test(arguments: 4..<40) func `texts are cut between characters`(longest: Int) {
        let value = "aé日😀bé日😀c"
        let text =
            "<OpenRosaResponse><case xmlns='http://commcarehq.org/case/transaction/v2' case_id='\(value)' date_modified='d'><update><p>\(value)</p></update></case></OpenRosaResponse>"
        var bounds = CommCareBounds()
        bounds.text = longest
        let reading = Reading(text, bounds: bounds)
        guard let block = reading.blocks.first, let found = block.update?.first?.value else {
            Issue.record("no block")
            return
        }
        let isWhole = longest >= value.utf8.count
        for kept in [found, block.caseID ?? ""] {
            #expect(value.hasPrefix(kept))
            #expect(kept.utf8.count <= longest)
            #expect(kept.utf8.count > longest - 4 || isWhole)
        }
        #expect(block.isCut == !isWhole)
        #expect(reading.codes.contains("openrosa.cut") == !isWhole)
        #expect(Reading(singles(Array(text.utf8)), bounds: bounds) == reading)
    }

    @Test func `an event holds so many bytes and so many members`() {
        let many = (0..<500).map { "<p\($0)>valeur é \($0)</p\($0)>" }.joined()
        let indices = (0..<500).map { "<i\($0)>x</i\($0)>" }.joined()
        let text = restore(
            block(
                "<create>\(many)</create><update>\(many)</update><index>\(indices)</index><attachment>\(indices)</attachment>"
            )
                + "<Registration><user_data>\((0..<500).map { "<data key='\($0)'>v</data>" }.joined())</user_data></Registration>"
                + block("", id: "next"))
        let some = Reading(text, bounds: CommCareBounds(members: 100))
        #expect(some.blocks.first?.create?.others.count == 100)
        #expect(some.blocks.first?.update?.count == 0)
        #expect(some.blocks.first?.indices.count == 0)
        #expect(some.blocks.map(\.isCut) == [true, false])
        let few = Reading(text, bounds: CommCareBounds(event: 1000))
        let size = few.blocks.first?.create?.others.reduce(0) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
        #expect((size ?? 0) <= 1000 && (size ?? 0) > 900)
        #expect(few.blocks.map(\.isCut) == [true, false])
        let all = Reading(text)
        #expect(all.blocks.first?.update?.count == 500)
        #expect(all.blocks.first?.indices.count == 500)
        #expect(all.blocks.first?.attachments.count == 500)
        #expect(!all.codes.contains("openrosa.cut"))
    }

    @Test func `blanks around a text cost nothing`() {
        let blanks = String(repeating: " \n\t", count: 1000)
        var bounds = CommCareBounds()
        bounds.text = 8
        let reading = Reading(
            "<OpenRosaResponse>\(block("<update><p>\(blanks)é</p></update>"))</OpenRosaResponse>",
            bounds: bounds)
        #expect(reading.blocks.first?.update == [.init("p", "é")])
        #expect(reading.blocks.first?.isCut == false)
    }

    @Test func `an entry of a ledger counts`() {
        let entries = String(repeating: "<entry id='a' quantity='1'/>", count: 300)
        let reading = Reading(
            restore(
                "<balance xmlns='http://commcarehq.org/ledger/v1' entity-id='c' date='d'>\(entries)</balance>"
            ), bounds: CommCareBounds(members: 10))
        #expect(reading.ledgers.first?.entries.count == 10)
        #expect(reading.ledgers.first?.isCut == true)
        #expect(reading.codes == ["openrosa.cut"])
    }
}
