import Notation
import Simperium
import Wire

/// Messages of every kind, at random from a seed.
struct MessageGenerator {
    var random: SplitMix64
    /// Whether identifiers keep to the grammar and no field is missing that belongs there.
    let isTidy: Bool
    /// Whether texts hold U+FEFF, which Foundation loses within strings.
    var hasByteOrderMarks = true

    init(seed: UInt64, isTidy: Bool = false) {
        random = SplitMix64(seed: seed)
        self.isTidy = isTidy
    }

    mutating func message(by sender: Peer) -> SimperiumMessage {
        let body = sender == .client ? clientBody() : serverBody()
        switch body {
        case .heartbeat, .logLevel, .log: return SimperiumMessage(nil, body)
        case .notUnderstood: return SimperiumMessage(flip() ? nil : below(9), body)
        default: return SimperiumMessage(flip() ? 0 : below(1 << 40), body)
        }
    }

    private mutating func clientBody() -> SimperiumBody<JSONValue> {
        switch below(isTidy ? 8 : 9) {
        case 0: return .initialize(initRequest())
        case 1: return .indexRequest(indexRequest())
        case 2: return .entityRequest(key: entityKey(), version: version())
        case 3: return .changesSince(cv: isTidy ? changeVersion() : text())
        case 4: return .heartbeat(Int64(below(.max)))
        case 5:
            return .indexState(
                IndexState<JSONValue>(
                    current: maybe { $0.changeVersion() }, entries: entries(withData: false),
                    pending: many { random in
                        PendingChange(
                            key: random.maybe { $0.key() }, sv: random.maybe { $0.version() },
                            ccid: random.maybe { $0.ccid() })
                    }, extra: flip() ? nil : json(depth: 2)))
        case 6:
            return .log(LogMessage(text: maybe { $0.text() }, bucket: flip() ? nil : text()))
        case 7: return .changes(isTidy ? [change(by: .client)] : many { $0.change(by: .client) })
        default: return other()
        }
    }

    private mutating func serverBody() -> SimperiumBody<JSONValue> {
        switch below(isTidy ? 11 : 12) {
        case 0: return .auth(authReply())
        case 1:
            return .indexPage(
                IndexPage<JSONValue>(
                    current: maybe { $0.changeVersion() }, entries: entries(withData: flip()),
                    mark: flip() ? nil : isTidy ? changeVersion() : text(),
                    count: flip() ? nil : below(100)))
        case 2: return .unknownMark
        case 3:
            return .entity(
                EntityReply(key: entityKey(), version: version(), data: object(depth: 3)))
        case 4: return .entity(EntityReply(key: entityKey(), version: version(), data: nil))
        case 5: return .unknownChangeVersion(isLegacy: flip())
        case 6: return .changes(many { $0.change(by: .server) })
        case 7: return .heartbeat(Int64(below(1000)))
        case 8:
            return .options(
                ChannelOptions(
                    exposesNamespace: flip() ? nil : flip(), namespace: flip() ? nil : text()))
        case 9: return flip() ? .indexStateRequest : .notUnderstood
        case 10: return .logLevel(below(3))
        default: return other()
        }
    }

    private mutating func other() -> SimperiumBody<JSONValue> {
        switch below(3) {
        case 0: return .other(name: "presence", payload: nil)
        case 1: return .other(name: "x~", payload: Array(text().utf8) + [0xFF, 0x3A])
        default: return .other(name: "{}", payload: [])
        }
    }

    private mutating func authReply() -> AuthReply {
        switch below(3) {
        case 0: return .accepted(isTidy ? "ender@example.com" : "u" + text())
        case 1: return .refused(code: maybe { [400, 401, 500][$0.below(3)] }, message: text())
        default: return .expired
        }
    }

    private mutating func initRequest() -> InitRequest {
        var request = InitRequest()
        request.bucket = maybe { $0.isTidy ? "note%20s" : $0.text() }
        request.app = maybe { $0.isTidy ? "abusers-headset.1" : $0.text() }
        request.token = maybe { $0.text() }
        request.clientID = maybe { $0.text() + "c" }
        request.api = maybe { $0.isTidy ? "1.1" : $0.text() }
        request.library = maybe { "l" + $0.text() }
        request.version = maybe { "1." + $0.text() }
        request.username = flip() ? nil : text()
        switch below(isTidy ? 3 : 4) {
        case 0: request.request = .index(indexRequest())
        case 1: request.request = .changesSince(cv: isTidy ? changeVersion() : text())
        case 2: break
        default:
            request.request = .other
            request.command = "x" + text()
        }
        request.command = request.command ?? request.request?.text
        return request
    }

    private mutating func indexRequest() -> IndexRequest {
        IndexRequest(
            wantsData: flip(), second: flip() ? "" : "m" + text().replacing(":", with: ""),
            third: isTidy || flip() ? "" : text().replacing(":", with: ""),
            limit: maybe { 1 + $0.below(1000) })
    }

    private mutating func entries(withData: Bool) -> [IndexPage<JSONValue>.Entry] {
        many { random in
            IndexPage<JSONValue>.Entry(
                key: random.maybe { $0.key() }, version: random.maybe { $0.version() },
                data: withData ? random.object(depth: 2) : nil)
        }
    }

    private mutating func change(by sender: Peer) -> SimperiumChange<JSONValue> {
        var change = SimperiumChange<JSONValue>(key: maybe { $0.key() })
        let sv = flip() ? nil : version()
        change.sv = sv
        change.ccids = isTidy ? [ccid()] : many { $0.ccid() }
        if sender == .server || (!isTidy && flip()) {
            change.clientID = maybe { "c" + $0.text() }
            change.cv = maybe { $0.changeVersion() }
            change.ev = maybe { (sv ?? 0) + 1 + Int64($0.below(3)) }
            if below(4) == 0 {
                change.error = [400, 401, 404, 405, 409, 412, 413, 417, 440, 503][below(10)]
                return change
            }
        }
        switch below(isTidy ? 3 : 4) {
        case 0: change.operation = .remove
        case 1: change.operation = .empty
        case 2: change.operation = .modify
        default: change.operation = flip() ? nil : .other("é" + text())
        }
        if isTidy {
            guard change.operation == .modify else { return change }
            let name = sv == nil ? "+" : "r"
            change.value = .object(
                JSONObject([
                    JSONObject.Member(
                        text(),
                        .object(
                            JSONObject([
                                JSONObject.Member("o", .string(name)),
                                JSONObject.Member("v", json(depth: 2)),
                            ])))
                ]))
        } else {
            change.value = flip() ? nil : json(depth: 3)
        }
        change.data = flip() ? nil : isTidy ? object(depth: 1) : json(depth: 2)
        return change
    }

    // MARK: Values

    mutating func json(depth: Int) -> JSONValue {
        switch below(depth > 0 ? 7 : 4) {
        case 0: return .null
        case 1: return .bool(flip())
        case 2:
            let numbers = ["0", "-0", "1.0", "1e5", "-2.50E-3", "1152921504606846977", "7"]
            return .number(numbers[below(numbers.count)])
        case 3, 4: return .string(text())
        case 5: return .array(many { $0.json(depth: depth - 1) })
        default: return object(depth: depth)
        }
    }

    mutating func object(depth: Int) -> JSONValue {
        var place = 0
        return .object(
            JSONObject(
                many { random in
                    place += 1
                    return JSONObject.Member(
                        "\(place)" + random.text(), random.json(depth: depth - 1))
                }))
    }

    mutating func text() -> String {
        let parts = [
            "a", "note", ".", "é", "e\u{301}", "😀", "👩‍👩‍👧", "日本", "\"", "\\", "/", "\n", "\t",
            "\u{0}", "\u{7F}", "\u{2028}", "\u{FFFD}", "{", "}", ":", "%20", " ", "?", "🏳️‍🌈",
            "\u{FEFF}",
        ]
        let count = parts.count - (hasByteOrderMarks ? 0 : 1)
        return many { parts[$0.below(count)] }.joined()
    }

    private mutating func key() -> String {
        isTidy ? "k.%\(below(1000))@_-" : text()
    }

    /// A key that `e` can spell.
    private mutating func entityKey() -> String {
        isTidy ? key() : "k" + text().replacing("\n", with: "")
    }

    private mutating func ccid() -> String {
        isTidy ? String(random.next(), radix: 16) + "-" + String(random.next(), radix: 16) : text()
    }

    private mutating func changeVersion() -> String { isTidy ? "a" + ccid() : text() }
    private mutating func version() -> Int64 { 1 + Int64(below(1 << 50)) }

    // MARK: Chance

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    mutating func flip() -> Bool { Bool.random(using: &random) }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
        isTidy || below(4) > 0 ? make(&self) : nil
    }

    private mutating func many<Value>(_ make: (inout Self) -> Value) -> [Value] {
        (0..<below(4)).map { _ in make(&self) }
    }
}
