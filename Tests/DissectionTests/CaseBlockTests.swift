import OpenRosa
import Testing
import Wire

@testable import Dissection

@Suite struct CaseBlockTests {
    private static func block(_ id: String, _ inside: String = "") -> String {
        """
        <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\(id)" user_id="u" \
        date_modified="2024-05-06">\(inside)</case>
        """
    }

    private static func restore(_ blocks: String) -> String {
        """
        <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
        <message nature="ota_restore_success"/>\
        <Sync xmlns="http://commcarehq.org/sync"><restore_id>t</restore_id></Sync>\
        \(blocks)</OpenRosaResponse>
        """
    }

    private static let asking = "GET /a/demo/phone/restore/ HTTP/1.1\r\nHost: o\r\n\r\n"

    private static func answer(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            + body
    }

    private static let family = restore(
        block(
            "c1",
            """
            <create><case_type>child</case_type><case_name>Zoë</case_name></create>\
            <update><age>7</age><says>"ü"\n</says><age>8</age><case_name>Zoë</case_name></update>\
            <index><parent case_type="home" relationship="extension">c2</parent>\
            <old/><parent case_type="home">c3</parent></index>
            """) + block("c2", "<close/>"))

    @Test(arguments: [1, 7, 4_096]) func `has a row for each block`(longest: Int) throws {
        var stage = Stage()
        stage.detail(.client, Self.asking)
        let bytes = Array(Self.answer(Self.family).utf8)
        for start in stride(from: 0, to: bytes.count, by: longest) {
            stage.detail(.server, Array(bytes[start..<min(start + longest, bytes.count)]))
        }
        let rows = stage.finish()
        var first = CaseBlockRow(
            exchange: ExchangeID(1), sender: .server, part: nil, position: 0, caseID: "c1",
            action: "create update index")
        first.caseType = "child"
        first.caseName = "Zoë"
        first.ownerID = "u"
        first.userID = "u"
        first.dateModified = "2024-05-06"
        first.indices = """
            {"old":null,"parent":{"case_type":"home","relationship":"child","target":"c3"}}
            """
        first.properties = #"{"says":"\"ü\"","age":"8"}"#
        var second = CaseBlockRow(
            exchange: ExchangeID(1), sender: .server, part: nil, position: 1, caseID: "c2",
            action: "close")
        second.userID = "u"
        second.dateModified = "2024-05-06"
        #expect(rows.caseBlocks == [first, second])
        #expect(rows.documents.map(\.cases) == [2])
    }

    @Test func `tells who asks, and whose cases a restore is of`() throws {
        var stage = Stage()
        stage.detail(
            .client,
            "GET /a/demo/phone/restore/?as=bert HTTP/1.1\r\nHost: o\r\n"
                + "Authorization: Basic YWRhOnNlY3JldA==\r\n\r\n")
        func reported(_ groups: String) -> String {
            Self.restore(
                """
                <Registration xmlns="http://openrosa.org/user/registration"><username>bert</username>\
                <password/><uuid>u2</uuid><date>2024-05-06</date></Registration>\
                <fixture id="user-groups" user_id="u2"><groups>\(groups)</groups></fixture>
                """)
        }
        stage.detail(
            .server,
            Self.answer(reported(#"<group id="g1"><name>G</name></group><group id="g2"/>"#)))
        stage.detail(.client, Self.asking)
        stage.detail(.server, Self.answer(reported("")))
        let rows = stage.finish()
        #expect(rows.exchanges.map(\.user) == ["bert", nil])
        #expect(rows.documents.map(\.owners) == [#"["u2","g1","g2"]"#, nil])
    }

    @Test func `gives a block out as soon as it has come`() {
        var stage = Stage()
        stage.detail(.client, Self.asking)
        let whole = Self.answer(Self.family)
        stage.detail(.server, String(whole.dropLast(10)))
        #expect(stage.rows.caseBlocks.map(\.caseID) == ["c1", "c2"])
        #expect(stage.rows.documents.isEmpty)
        stage.detail(.server, String(whole.suffix(10)))
        #expect(stage.finish().documents.map(\.kind) == ["restore"])
    }

    @Test func `counts over the parts of a submission`() {
        func part(_ name: String, _ inside: String) -> String {
            """
            --b\r\nContent-Disposition: form-data; name="\(name)"; filename="f.xml"\r\n\
            Content-Type: text/xml\r\n\r\n<data xmlns="f">\(inside)</data>\r\n
            """
        }
        let body =
            part("xml_submission_file", Self.block("c1") + Self.block("c2"))
            + part("other", Self.block("c3")) + "--b--\r\n"
        var stage = Stage()
        stage.detail(
            .client,
            "POST /a/demo/receiver/ HTTP/1.1\r\nHost: o\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let found = stage.finish().caseBlocks
        #expect(found.map(\.caseID) == ["c1", "c2", "c3"])
        #expect(found.map(\.part) == [0, 0, 1])
        #expect(found.map(\.position) == [0, 1, 2])
        #expect(found.allSatisfy { $0.sender == .client && $0.action.isEmpty })
    }

    @Test func `makes rows of the first blocks of a body alone`() throws {
        var limits = DissectionLimits()
        limits.caseBlocks = 3
        var dissector = Dissector(limits: limits)
        var rows: [DerivedRow] = []
        let blocks = (1...10).map { Self.block("c\($0)") }.joined()
        for record in Sample.exchange(body: Self.restore(blocks), path: "/a/demo/phone/restore/") {
            let chunk: ChunkID? = if case .chunk = record { ChunkID(1) } else { nil }
            dissector.consume(record, chunk: chunk, into: &rows)
        }
        #expect(rows.caseBlocks.map(\.caseID) == ["c1", "c2", "c3"])
        #expect(rows.documents.map(\.cases) == [10])
    }
}
