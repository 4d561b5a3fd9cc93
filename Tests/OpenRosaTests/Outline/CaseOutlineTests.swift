import Testing

@testable import OpenRosa

@Suite struct CaseOutlineTests {
    private func outlines(_ text: String, most: Int = 100) -> [CaseOutline] {
        let reader = OpenRosaReader(caseBlocks: most)
        reader.feed(Array(text.utf8).span)
        _ = reader.finish()
        return reader.takeCases()
    }

    private func block(_ inside: String) -> String {
        """
        <data xmlns="http://example.org/f">\
        <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="c" user_id="u">\
        \(inside)</case></data>
        """
    }

    @Test func `says what a block does in the order of devices`() {
        let found = outlines(
            block(
                "<attachment><f src='a'/></attachment><index><p case_type='t'>d</p></index>"
                    + "<close/><update/><create/>"))
        #expect(found.map(\.actions) == [CaseOutline.Action.allCases])
        #expect(found.first?.indices == [.init(name: "p", caseType: "t", target: "d")])
        #expect(outlines(block("")).map(\.actions) == [[]])
    }

    @Test func `an update has the last word, wherever it stands`() {
        let found = outlines(
            block(
                "<update><case_name>new</case_name><age>7</age></update>"
                    + "<create><case_type>t</case_type><case_name>old</case_name></create>"))
        #expect(found.map(\.caseName) == ["new"])
        #expect(found.map(\.caseType) == ["t"])
        // Who creates a case without an owner owns it.
        #expect(found.map(\.ownerID) == ["u"])
        #expect(outlines(block("<update><case_type>t</case_type></update>")).first?.ownerID == nil)
    }

    @Test func `reads version 1`() {
        let found = outlines(
            """
            <data xmlns="http://example.org/f"><case><case>question</case></case>\
            <case><case_id>c</case_id><date_modified> 2011 </date_modified>\
            <create><case_type_id>t</case_type_id><case_name>n</case_name>\
            <user_id>ada</user_id></create></case></data>
            """)
        #expect(found.map(\.caseID) == ["c"])
        #expect(found.first?.dateModified == "2011")
        #expect(found.first?.userID == "ada")
        #expect(found.first?.ownerID == "ada")
        #expect(found.first?.caseType == "t")
    }

    @Test func `has all other properties, those of create first`() {
        let found = outlines(
            block(
                "<update><age> 7 </age><case_name>n</case_name><note>a<b>not</b>&amp;c</note>"
                    + "<age/><external_id>x</external_id></update>"
                    + "<create><case_type>t</case_type><sex>f</sex></create>"))
        #expect(
            found.map(\.properties) == [
                [
                    .init("sex", "f"), .init("age", "7"), .init("note", "a&c"), .init("age", ""),
                    .init("external_id", "x"),
                ]
            ])
        #expect(outlines(block("<update><a>1</a></update>"), most: 0).isEmpty)
    }

    @Test func `leaves out what is behind the first property that does not fit`() {
        let room = OpenRosaDocument.longestProperties
        let long = String(repeating: "é", count: (room - 10) / 2)
        func names(_ length: Int) -> [String]? {
            outlines(
                block(
                    "<update><a>\(long)</a><b>\(String(repeating: "x", count: length))</b>"
                        + "<c>1</c><case_name>n</case_name></update>")
            ).first.map { $0.properties.map(\.name) + [$0.caseName ?? ""] }
        }
        #expect(names(6) == ["a", "b", "c", "n"])
        #expect(names(7) == ["a", "b", "n"])
        #expect(names(8) == ["a", "b", "n"])
        #expect(names(9) == ["a", "n"])
    }

    @Test func `makes as many as are asked for, and counts all`() {
        let text =
            "<data>" + (1...5).map { "<case case_id='c\($0)'/>" }.joined() + "</data>"
        #expect(outlines(text, most: 2).map(\.caseID) == ["c1", "c2"])
        #expect(outlines(text, most: 0).isEmpty)
        #expect(OpenRosaReader.read(Array(text.utf8)).cases.blocks == 5)
    }

    @Test func `is bounded`() {
        let long = String(repeating: "x", count: 3 * OpenRosaDocument.longestText)
        let indices = (0..<300).map { "<i\($0)>d</i\($0)>" }.joined()
        let found = outlines(
            block("<create><case_name>\(long)</case_name></create><index>\(indices)</index>"))
        #expect(found.first?.caseName?.utf8.count == OpenRosaDocument.longestText)
        #expect(found.first?.indices.count == OpenRosaDocument.longestList)
        #expect(found.first?.indices.allSatisfy { $0.target == "d" } == true)
    }
}
