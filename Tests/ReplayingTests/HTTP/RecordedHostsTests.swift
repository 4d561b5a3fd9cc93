import Replaying
import Testing
import Wire

struct RecordedHostsTests {
    func exchanges(_ all: [(host: String, path: String)]) -> RecordedExchanges {
        RecordedExchanges(
            all.enumerated().map {
                RecordedExchange(
                    id: ExchangeID(Int64($0.offset + 1)), method: "GET", host: $0.element.host,
                    path: $0.element.path)
            })
    }

    @Test func `a single host is meant whatever the client says`() {
        let one = exchanges([("a", "/")])
        #expect(one.host(meantBy: "b", port: 80, method: "GET", path: "/") == "a")
        #expect(one.host(meantBy: nil, port: 80, method: "PUT", path: "/x") == "a")
    }

    @Test func `among several, a host is known by its name or by what it was asked for`() {
        let all = exchanges([
            ("a", "/"), ("b", "/b"), ("c:81", "/c"), ("b", "/sock/1/app/000/aaaa/websocket"),
        ])
        func meant(_ host: String?, _ port: Int, _ path: String) -> String {
            all.host(meantBy: host, port: port, method: "GET", path: path)
        }
        #expect(meant("b", 443, "/") == "b")
        #expect(meant("c", 81, "/") == "c:81")
        #expect(meant("127.0.0.1", 8000, "/b") == "b")
        #expect(meant(nil, 8000, "/c") == "c:81")
        #expect(meant("127.0.0.1", 8000, "/sock/1/app/123/bbbb/websocket") == "b")
        #expect(meant("127.0.0.1", 8000, "/sock/1/other/123/bbbb/websocket") == "127.0.0.1")
        #expect(meant("127.0.0.1", 8000, "/none") == "127.0.0.1")
        #expect(meant(nil, 80, "/none") == "")
    }
}
