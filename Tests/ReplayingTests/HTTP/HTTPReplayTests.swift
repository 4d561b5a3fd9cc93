import Replaying
import Testing
import Wire

/// Exchanges as a test writes them down.
struct Tape {
    private(set) var exchanges: [RecordedExchange] = []
    private(set) var requests: [ExchangeID: ReplayMessage] = [:]

    mutating func add(
        _ method: String, _ path: String, query: String? = nil, host: String = "hq",
        status: Int = 200, fields: [ReplayMessage.Field] = [], body: String = ""
    ) {
        let id = ExchangeID(Int64(exchanges.count + 1))
        exchanges.append(
            RecordedExchange(
                id: id, method: method, host: host, path: path, query: query, status: status))
        requests[id] = ReplayMessage(fields: fields, body: bytes(body))
    }

    func replay(_ rules: HTTPReplay.Rules = .init()) -> HTTPReplay {
        let requests = requests
        return HTTPReplay(exchanges, rules: rules) { id, peer in
            peer == .client ? requests[id] : nil
        }
    }
}

extension HTTPReplay {
    /// The number of the exchange that answers; nil where none does.
    mutating func number(
        _ method: String, _ path: String, query: String? = nil, host: String = "hq",
        fields: [ReplayMessage.Field] = [], body: String = ""
    ) -> Int64? {
        let request = ReplayRequest(
            method: method, host: host, path: path, query: query,
            message: ReplayMessage(fields: fields, body: bytes(body)))
        guard case .recorded(let exchange) = answer(request) else { return nil }
        return exchange.id.rawValue
    }
}

struct HTTPReplayTests {
    @Test func `the nth of equal requests gets the nth answer`() {
        var tape = Tape()
        for status in [202, 202, 200] {
            tape.add("GET", "/restore", query: "version=2.0", status: status)
        }
        var replay = tape.replay()
        #expect(replay.number("GET", "/restore", query: "version=2.0") == 1)
        #expect(replay.number("GET", "/restore", query: "version=2.0") == 2)
        #expect(replay.number("GET", "/restore", query: "version=2.0") == 3)
        #expect(replay.number("GET", "/restore", query: "version=2.0") == nil)
        #expect(replay.misses.first?.reason == .usedUp(times: 3))
        #expect(replay.section().missed == 1)
        #expect(replay.unused == 0)
    }

    @Test func `requests that differ come in any order`() {
        var tape = Tape()
        for name in ["a", "b", "a", "c"] { tape.add("POST", "/submit", body: "<f>\(name)</f>") }
        var replay = tape.replay()
        #expect(replay.number("POST", "/submit", body: "<f>c</f>") == 4)
        #expect(replay.number("POST", "/submit", body: "<f>a</f>") == 1)
        #expect(replay.number("POST", "/submit", body: "<f>b</f>") == 2)
        #expect(replay.number("POST", "/submit", body: "<f>a</f>") == 3)
        #expect(replay.matched == 4)
    }

    @Test func `what was read of one path is kept while others are requested`() {
        var tape = Tape()
        for body in ["a", "b", "c"] {
            for path in ["/x", "/y"] { tape.add("POST", path, body: body) }
        }
        var replay = tape.replay()
        let requests = [
            ("/x", "c", 5), ("/y", "b", 4), ("/x", "a", 1), ("/y", "c", 6), ("/x", "b", 3),
            ("/y", "a", 2),
        ]
        for (path, body, number) in requests {
            #expect(replay.number("POST", path, body: body) == Int64(number))
        }
        #expect(replay.number("POST", "/x", body: "a") == nil)
        #expect(replay.unused == 0)
    }

    @Test func `query is fields, since is volatile but has to be there`() {
        var tape = Tape()
        tape.add("GET", "/r", query: "a=1&since=x&b=2")
        tape.add("GET", "/r", query: "a=1&b=2")
        var replay = tape.replay()
        #expect(replay.number("GET", "/r", query: "b=2&a=1") == 2)
        #expect(replay.number("GET", "/r", query: "b=2&a=1&since=y") == 1)
    }

    @Test func `one host is any host, several are told apart`() {
        var one = Tape()
        one.add("GET", "/a")
        var replay = one.replay()
        #expect(replay.number("GET", "/a", host: "127.0.0.1") == 1)
        var two = Tape()
        two.add("GET", "/a", host: "x")
        two.add("GET", "/a", host: "y")
        replay = two.replay()
        #expect(replay.number("GET", "/a", host: "y") == 2)
        #expect(replay.number("GET", "/a", host: "z") == nil)
        #expect(replay.misses[0].candidates[0].differences.items[0].place == "host")
    }

    @Test func `header fields of interest`() {
        var tape = Tape()
        tape.add(
            "GET", "/a", fields: [.init("X-OpenRosa-Version", "3.0"), .init("User-Agent", "x")])
        tape.add("GET", "/b", fields: [.init("X-CommCareHQ-LastSyncToken", "1")])
        var replay = tape.replay()
        #expect(replay.number("GET", "/a", fields: [.init("x-openrosa-version", "1.0")]) == nil)
        #expect(
            replay.misses[0].candidates[0].differences.items.map(\.description) == [
                "header x-openrosa-version: recorded \"3.0\", received \"1.0\""
            ])
        #expect(replay.number("GET", "/a", fields: [.init("x-openrosa-version", "3.0")]) == 1)
        #expect(replay.number("GET", "/b") == nil)
        #expect(replay.number("GET", "/b", fields: [.init("x-commcarehq-lastsynctoken", "2")]) == 2)
    }

    @Test func `a miss names the closest`() {
        var tape = Tape()
        tape.add("POST", "/a/demo/receiver", body: #"{"a":1,"b":2,"c":3}"#)
        tape.add("POST", "/a/demo/receiver", body: #"{"a":1,"b":2,"c":4}"#)
        var replay = tape.replay()
        #expect(replay.number("POST", "/a/demo/receiver", body: #"{"a":1,"b":9,"c":4}"#) == nil)
        let miss = replay.misses[0]
        #expect(miss.reason == .different)
        #expect(miss.candidates.map(\.exchange.rawValue) == [2, 1])
        #expect(miss.description.contains("JSON /b: recorded 2, received 9"))
        #expect(replay.number("GET", "/a/demo/recevier") == nil)
        #expect(replay.misses[1].reason == .unknownTarget)
        #expect(
            replay.misses[1].candidates[0].differences.items.map(\.place) == [
                "method", "path", "body",
            ])
        #expect(replay.unused(limit: 1).map(\.id.rawValue) == [1])
    }

    @Test func `SockJS identifiers in the path are the client's`() {
        var tape = Tape()
        tape.add("GET", "/sock/1/app/123/abcdef/websocket", status: 101)
        var replay = tape.replay()
        #expect(replay.number("GET", "/sock/1/app/999/zzz/websocket") == 1)
    }

    @Test func `bodies are fetched when asked, each once`() {
        let exchanges = (1...5_000).map { number in
            RecordedExchange(
                id: ExchangeID(Int64(number)), method: "POST", host: "h", path: "/p\(number % 10)")
        }
        let count = Counter()
        var replay = HTTPReplay(exchanges) { id, _ in
            count.add()
            return ReplayMessage(body: bytes("{\"n\":\(id)}"))
        }
        #expect(count.value == 0)
        #expect(replay.number("POST", "/p1", host: "h", body: #"{"n":4991}"#) == 4_991)
        #expect(count.value == 500)
        for number in stride(from: 1, to: 4_991, by: 10) {
            #expect(
                replay.number("POST", "/p1", host: "h", body: "{\"n\":\(number)}") == Int64(number))
        }
        #expect(count.value < 1_100)
    }
}

/// Counts calls.
// Safety: a test uses it from one task.
final class Counter: @unchecked Sendable {
    private(set) var value = 0
    func add() { value += 1 }
}
