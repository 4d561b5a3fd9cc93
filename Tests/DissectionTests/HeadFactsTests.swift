import Notation
import Testing
import Wire

@testable import Dissection

@Suite("What a head says does not depend on when it came before") struct HeadFactsTests {
    private static let requests = [
        "GET /a HTTP/1.1\r\nHost: origin.example:81\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: other.example\r\n\r\n",
        "HEAD /a HTTP/1.1\r\nHost: origin.example:81\r\n\r\n",
        "GET /a/demo/phone/restore/?version=2.0&as=u%40x HTTP/1.1\r\nHost: hq\r\n"
            + "X-OpenRosa-DeviceID: d1\r\n\r\n",
        "GET /a/demo/phone/restore/?device_id=d2 HTTP/1.1\r\nHost: hq\r\n"
            + "Authorization: Basic dTpw\r\n\r\n",
        "GET http://far.example/b HTTP/1.1\r\nHost: far.example\r\n\r\n",
        "POST /a/demo/receiver/ HTTP/1.1\r\nHost: hq\r\nContent-Type: multipart/form-data; "
            + "boundary=x\r\nContent-Length: 115\r\n\r\n--x\r\nContent-Disposition: form-data; "
            + "name=\"xml_submission_file\"\r\nContent-Type: text/xml\r\n\r\n"
            + "<data xmlns=\"a\"/>\r\n--x--",
        "POST /b HTTP/1.1\r\nHost: hq\r\nContent-Length: 3\r\n\r\nabc",
    ]

    private static let responses = [
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 Fine\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabd",
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\n<a/>\n\r\n0\r\n\r\n",
        "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 406 Not Acceptable\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
            + "{\"error\":\"a.b\"}",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: odd\r\nContent-Length: 3\r\n\r\nabc",
    ]

    /// The answer as it is to `request`.
    private static func answer(_ response: String, to request: String) -> String {
        guard request.hasPrefix("HEAD"), let end = response.firstRange(of: "\r\n\r\n") else {
            return response
        }
        return String(response[..<end.upperBound])
    }

    /// The rows of each exchange, as texts without its number, times and places.
    private static func plain(_ rows: [DerivedRow]) -> [[String]] {
        var texts: [ExchangeID: [String]] = [:]
        for var row in rows.exchanges {
            let id = row.id
            row.id = ExchangeID(1)
            texts[id, default: []].append("\(row.withoutCuts)")
        }
        for var row in rows.bodies {
            let id = row.exchange
            row.exchange = ExchangeID(1)
            texts[id, default: []].append("\(row.withoutCuts)")
        }
        for row in rows.parts { texts[row.exchange, default: []].append("part \(row.name ?? "")") }
        for row in rows.documents {
            texts[row.exchange, default: []].append("\(row.kind) \(row.problem ?? "")")
        }
        return texts.sorted { $0.key < $1.key }.map(\.value)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `in any order`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        var together = Stage()
        var expected: [[String]] = []
        for _ in 0..<60 {
            let request = Self.requests.randomElement(using: &dice) ?? ""
            let response = Self.answer(
                Self.responses.randomElement(using: &dice) ?? "", to: request)
            var alone = Stage()
            alone.detail(.client, request)
            alone.detail(.server, response)
            expected += Self.plain(alone.finish())
            together.detail(.client, request)
            together.detail(.server, response)
        }
        let found = Self.plain(together.finish())
        #expect(expected.count == 60)
        #expect(Set(expected).count > 20)
        #expect(found == expected)
    }
}
