import Framing

/// What clients and servers of a world say.
enum Speech {
    /// A request, and what there is to know about it.
    struct Request {
        var bytes: [UInt8]
        var isUpgrade = false
        var isWebSocket = false
    }

    static let hosts = ["a.example", "b.example:8080", "c.example", "d.example:81"]

    /// A content of this many bytes, which can be told from others.
    static func content(_ number: Int, _ count: Int) -> [UInt8] {
        let mark = Array("<\(number)>".utf8)
        return (0..<count).map { mark[$0 % mark.count] }
    }

    /// A request that nobody can object to.
    static func request(
        _ number: Int, target: String, host: String, largest: Int, _ chance: inout Chance
    ) -> Request {
        let method = chance.pick(["GET", "GET", "GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"])
        var head = "\(method) \(target) HTTP/1.1\r\n"
        var fields = ["Host: \(host)"]
        if chance.percent(20) { fields.append("Origin: http://\(host)") }
        if chance.percent(20) { fields.append("Proxy-Connection: keep-alive") }
        if chance.percent(20) { fields.insert("X-Number: \(number)", at: 0) }
        if chance.percent(5) { fields.append("Proxy-Authorization: Basic YTpi") }
        var body: [UInt8] = []
        if ["POST", "PUT"].contains(method) {
            if chance.percent(20) { fields.append("Expect: 100-continue") }
            let content = content(number, chance.size(most: largest))
            if chance.percent(50) {
                fields.append("Content-Length: \(content.count)")
                body = content
            } else {
                fields.append("Transfer-Encoding: chunked")
                body = chunked(content, &chance)
            }
        }
        let end = chance.percent(10) ? "\n" : "\r\n"
        for field in fields { head += field + end }
        return Request(bytes: Array((head + end).utf8) + body)
    }

    /// A request for another protocol.
    static func upgrade(
        _ number: Int, target: String, host: String, _ chance: inout Chance
    ) -> Request {
        let isWebSocket = chance.percent(70)
        let ask =
            isWebSocket
            ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: \(key)\r\n"
            : "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
        let text = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\(ask)X-Number: \(number)\r\n\r\n"
        return Request(bytes: Array(text.utf8), isUpgrade: true, isWebSocket: isWebSocket)
    }

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    static func connect(_ authority: String, _ chance: inout Chance) -> [UInt8] {
        let host = chance.percent(80) ? "Host: \(authority)\r\n" : ""
        let more = chance.percent(20) ? "Proxy-Connection: keep-alive\r\n" : ""
        return Array("CONNECT \(authority) HTTP/1.1\r\n\(host)\(more)\r\n".utf8)
    }

    /// The start of TLS (RFC 8446, 4.1.2), with the name of the server where there is one.
    static func hello(_ name: String?) -> [UInt8] {
        var body: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0x13, 1, 1, 0]
        if let name {
            let host = Array(name.utf8)
            let list = [0] + two(host.count) + host
            let names = two(list.count) + list
            let known: [UInt8] = [0, 0] + two(names.count) + names
            body += two(known.count) + known
        }
        let message: [UInt8] = [1, 0] + two(body.count) + body
        return [22, 3, 1] + two(message.count) + message
    }

    private static func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

    /// Content in chunks, of which some may have extensions, and trailers.
    static func chunked(_ content: [UInt8], _ chance: inout Chance) -> [UInt8] {
        var result: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            let count = min(rest.count, 1 + chance.size(most: rest.count))
            let mark = chance.percent(10) ? ";a=b" : ""
            result += Array("\(String(count, radix: 16))\(mark)\r\n".utf8)
            result += rest.prefix(count) + [13, 10]
            rest = rest.dropFirst(count)
        }
        return result + Array((chance.percent(10) ? "0\r\nT: u\r\n\r\n" : "0\r\n\r\n").utf8)
    }

    /// What no client should say.
    static func oddRequest(
        _ number: Int, target: String, host: String, _ chance: inout Chance
    ) -> String {
        let post = "POST \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        return chance.pick([
            "PI", "GET /\r\n", "G", "\r\n", "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nX: ",
            "\(post)Content-Length: -5\r\n\r\nhello", "\(post)Content-Length: abc\r\n\r\nhello",
            "\(post)Content-Length: 3\r\n\r\nhello", "\(post)Content-Length: 3000\r\n\r\nhello",
            "\(post)Transfer-Encoding: chunked\r\n\r\nzz\r\nhello",
            "\(post)Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
            "GET \(target) HTTP/1.1\r\n\r\n", "GET \(target)\r\n\r\n", "GET * HTTP/1.1\r\n\r\n",
            "GET http:// HTTP/1.1\r\nHost: \(host)\r\n\r\n", "G@T \(target) HTTP/1.1\r\n\r\n",
            "GET ftp://\(host)/ HTTP/1.1\r\nHost: \(host)\r\n\r\n", "\u{1}\u{2}\u{3}",
            "\u{16}\u{3}", "\u{16}\u{3}\u{1}\u{0}\u{2}zz",
            "GET /\(number) HTTP/1.1\r\nHost: \(host)\r\nHost: x\r\n\r\n",
            "CONNECT \(host) HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n+",
            "OPTIONS http://\(host) HTTP/1.1\r\nHost: \(host)\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ])
    }

    /// What is said where a tunnel is open, by Tapedeck and by servers here.
    static let established = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)

    // MARK: Answers

    /// An answer that nobody can object to.
    static func answer(
        _ number: Int, method: String, isLast: Bool, largest: Int, _ chance: inout Chance
    ) -> [UInt8] {
        let status = chance.pick(["200 OK", "200 OK", "200 OK", "404 Not Found", "201 Created"])
        var head = "HTTP/1.1 \(status)\r\nX-Answer: \(number)\r\n"
        if chance.percent(20) {
            let host = chance.pick(hosts)
            head += "Location: \(chance.pick(["http", "https"]))://\(host)/\(number)\r\n"
        }
        if isLast { head += "Connection: close\r\n" }
        switch chance.below(10) {
        case 8: return Array("HTTP/1.1 204 No Content\r\nX-Answer: \(number)\r\n\r\n".utf8)
        case 9: return Array("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n".utf8)
        default: break
        }
        let content = content(number, chance.size(most: largest))
        if isLast, chance.percent(40) {
            return Array("\(head)\r\n".utf8) + (method == "HEAD" ? [] : content)
        }
        if chance.percent(50) {
            return Array("\(head)Content-Length: \(content.count)\r\n\r\n".utf8)
                + (method == "HEAD" ? [] : content)
        }
        return Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8)
            + (method == "HEAD" ? [] : chunked(content, &chance))
    }

    /// What comes before an answer.
    static func interim(_ chance: inout Chance) -> [UInt8] {
        Array(
            chance.pick([
                "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nLink: </s.css>; rel=preload\r\n\r\n",
            ]).utf8)
    }

    /// The agreement to another protocol.
    static func switching(isWebSocket: Bool) -> [UInt8] {
        let accept =
            isWebSocket
            ? "Upgrade: websocket\r\nSec-WebSocket-Accept: "
                + "\(WebSocketHandshake.acceptKey(for: key))\r\n"
            : "Upgrade: h2c\r\n"
        return Array(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\(accept)\r\n".utf8)
    }

    /// Answers that no server should give.
    static func oddAnswer(_ number: Int, _ chance: inout Chance) -> [UInt8] {
        let odd = [
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(number) and much more",
            "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n\(number)",
            "HTTP/1.1 200\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n\(number)", "<html>\(number)</html>",
            "HTTP/2 200\r\n\r\n", "\u{0}\u{1}\u{2}", "HTTP/1.1 20x OK\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: \(number)\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n", "HTTP/1.1 200 OK\r\nX: ", "ICY 200 OK\r\n\r\n",
        ]
        return Array(chance.pick(odd).utf8)
    }

    // MARK: What is no HTTP

    /// A message of a WebSocket, mostly with a Simperium command.
    static func message(
        _ number: Int, isClient: Bool, largest: Int, _ chance: inout Chance
    ) -> [UInt8] {
        let value = "{\"a\":{\"o\":\"+\",\"v\":\(number)}}"
        let id = "{\"id\":\"k\(number)\",\"v\":\(value),\"ccid\":\"\(number)\""
        let texts =
            isClient
            ? [
                "0:init:{\"app_id\":\"a\",\"name\":\"notes\",\"token\":\"t\",\"clientid\":\"c\"}",
                "0:c:\(id),\"o\":\"M\"}", "h:\(number)", "0:i:1::5", "0:cv:abc", "0:e:k.1",
                "\(number)", "0:c:{",
            ]
            : [
                "0:auth:u@example", "h:\(number)", "0:cv:?", "o:{}",
                "0:c:[\(id),\"ev\":2,\"sv\":1,\"cv\":\"v\(number)\",\"o\":\"M\","
                    + "\"ccids\":[\"\(number)\"],\"clientid\":\"c\"}]",
                "0:i:{\"index\":[],\"current\":\"v\"}", "0:c:{", "0:e:k.1\n{\"data\":{}}",
            ]
        var payload = Array(chance.pick(texts).utf8)
        if chance.percent(10) { payload = content(number, chance.size(most: largest)) }
        let opcode = chance.pick([
            WebSocketOpcode.text, .text, .text, .text, .text, .text, .binary, .ping, .pong, .close,
        ])
        if opcode.isControl { payload = Array(payload.prefix(100)) }
        return WebSocketFrameEncoder.encode(
            opcode: opcode, payload: payload, mask: isClient ? UInt32(number) : nil)
    }
}
