import OpenRosa
import Testing
import Wire

@testable import Dissection

@Suite struct DecodingBudgetTests {
    @Test func `a document beyond its budget stays bytes, with the reason`() throws {
        var limits = DissectionLimits()
        limits.xml = XMLLimits(names: 20)
        var stage = Stage(limits: limits)
        stage.detail(.client, "GET /a/d/phone/restore/ HTTP/1.1\r\nHost: o\r\n\r\n")
        let xml = "<a>" + (0..<100).map { "<n\($0)/>" }.joined() + "</a>"
        stage.detail(
            .server,
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: \(xml.utf8.count)\r\n\r\n"
                + xml)
        let rows = stage.finish()
        #expect(rows.exchanges.first?.outcome == .complete)
        #expect(rows.notes.map(\.code) == ["openrosa.too-much"])
        #expect(rows.notes.first?.detail.contains("more than 20 different names") == true)
        #expect(rows.bodies.last?.content.count == xml.utf8.count)
        let document = try #require(rows.documents.first)
        #expect(document.problem?.contains("more than 20 different names") == true)
    }

    @Test func `the documents of one body share a budget`() {
        var limits = DissectionLimits()
        limits.xml = XMLLimits(elements: 10)
        var stage = Stage(limits: limits)
        let part = "--b\r\nContent-Type: text/xml\r\n\r\n<a><b/><b/></a>\r\n"
        let body = String(repeating: part, count: 5) + "--b--\r\n"
        stage.detail(
            .client,
            "POST / HTTP/1.1\r\nHost: o\r\nContent-Type: multipart/mixed; boundary=b\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        let rows = stage.finish()
        #expect(rows.parts.count == 5)
        let problems = rows.documents.filter { $0.problem != nil }
        #expect(problems.count == 2)
        #expect(rows.notes.filter { $0.code == "openrosa.too-much" }.count == 2)
    }

    @Test func `only so many documents of one body are read`() {
        var limits = DissectionLimits()
        limits.parts = 3
        var stage = Stage(limits: limits)
        let part = "--b\r\nContent-Type: text/xml\r\n\r\n<data xmlns='u'><q/></data>\r\n"
        let body = String(repeating: part, count: 5) + "--b--\r\n"
        stage.detail(
            .client,
            "POST / HTTP/1.1\r\nHost: o\r\nContent-Type: multipart/mixed; boundary=b\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
        let rows = stage.finish()
        #expect(rows.documents.count == 3)
        #expect(rows.bodies.first?.problem?.contains("first 3 documents") == true)
    }

    @Test func `content is not decoded beyond its bound`() {
        var limits = DissectionLimits()
        limits.decodedContent = 100
        var stage = Stage(limits: limits)
        stage.detail(.client, "GET / HTTP/1.1\r\nHost: o\r\n\r\n")
        stage.detail(
            .server,
            Array(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.gzip.count)\r\n\r\n"
                    .utf8) + Self.gzip)
        let rows = stage.finish()
        #expect(rows.exchanges.first?.outcome == .complete)
        #expect(rows.bodies.last?.problem?.contains("beyond the limit") == true)
    }

    /// 500 times the letter a, coded.
    static let gzip: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4b, 0x4c,
        0x1c, 0x05, 0x23, 0x0d, 0x00, 0x00, 0x11, 0x41, 0x92, 0x05, 0xf4, 0x01,
        0x00, 0x00,
    ]
}
