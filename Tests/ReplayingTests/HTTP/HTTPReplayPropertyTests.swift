import Notation
import Replaying
import Testing
import Wire

struct HTTPReplayPropertyTests {
    /// A request whose volatile parts are made up anew each time it is written.
    private struct Script {
        var kind: Int
        var value: Int

        func write(_ random: inout SplitMix64) -> ReplayRequest {
            switch kind {
            case 0:
                let boundary = random.name()
                let body =
                    "--\(boundary)\r\nContent-Disposition: form-data; "
                    + "name=\"xml_submission_file\"; filename=\"\(random.name()).xml\"\r\n"
                    + "Content-Type: text/xml\r\n\r\n<f>\(random.chance(50) ? "\n " : "")<v>\(value)</v>"
                    + "<meta><instanceID>\(random.name())</instanceID></meta></f>\r\n"
                    + "--\(boundary)--\r\n"
                return request(
                    "POST", "/a/demo/receiver/", nil, "multipart/form-data; boundary=\(boundary)",
                    body)
            case 1:
                let fields = ["version=2.0", "v=\(value)", "since=\(random.name())"]
                return request(
                    "GET", "/a/demo/phone/restore/",
                    fields.shuffled(using: &random).joined(separator: "&"), nil, "")
            case 2:
                let members = ["\"token\":\"\(random.name())\"", "\"v\":\(value)"]
                return request(
                    "POST", "/api", nil, "application/json",
                    "{" + members.shuffled(using: &random).joined(separator: ", ") + "}")
            default:
                return request(
                    "POST", "/form", nil, "application/x-www-form-urlencoded",
                    ["v=\(value)", "device_id=\(random.name())"].shuffled(using: &random)
                        .joined(separator: "&"))
            }
        }

        private func request(
            _ method: String, _ path: String, _ query: String?, _ type: String?, _ body: String
        ) -> ReplayRequest {
            ReplayRequest(
                method: method, host: "h", path: path, query: query,
                message: ReplayMessage(
                    fields: type.map { [.init("Content-Type", $0)] } ?? [], body: bytes(body)))
        }
    }

    private struct Session {
        var scripts: [Script] = []
        var replay: HTTPReplay

        init(_ random: inout SplitMix64) {
            for _ in 0..<(5 + random.below(40)) {
                scripts.append(Script(kind: random.below(4), value: random.below(12)))
            }
            var exchanges: [RecordedExchange] = []
            var messages: [ExchangeID: ReplayMessage] = [:]
            for (index, script) in scripts.enumerated() {
                let id = ExchangeID(Int64(index + 1))
                let request = script.write(&random)
                exchanges.append(
                    RecordedExchange(
                        id: id, method: request.method, host: request.host, path: request.path,
                        query: request.query, status: 200))
                messages[id] = request.message
            }
            replay = HTTPReplay(exchanges) { [messages] id, _ in messages[id] }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a session replayed against itself in another order matches`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var session = Session(&random)
        var next: [[Int]: Int] = [:]
        for script in session.scripts.shuffled(using: &random) {
            let key = [script.kind, script.value]
            let nth = next[key, default: 0]
            next[key] = nth + 1
            let same = session.scripts.indices.filter {
                session.scripts[$0].kind == script.kind && session.scripts[$0].value == script.value
            }
            guard case .recorded(let exchange) = session.replay.answer(script.write(&random)) else {
                Issue.record("missed \(session.replay.misses)")
                return
            }
            #expect(exchange.id.rawValue == Int64(same[nth] + 1))
        }
        #expect(session.replay.unused == 0)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `one changed value is missed, and nothing else`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var session = Session(&random)
        let changed = random.below(session.scripts.count)
        for (index, script) in session.scripts.enumerated() {
            var script = script
            if index == changed { script.value = 77 }
            let answer = session.replay.answer(script.write(&random))
            guard case .missed(let miss) = answer else {
                #expect(index != changed)
                continue
            }
            #expect(index == changed)
            #expect(miss.candidates.first?.differences.items.count == 1)
            #expect(miss.description.contains("received") && miss.description.contains("77"))
        }
        #expect(session.replay.missed == 1)
        #expect(session.replay.unused == 1)
    }
}
