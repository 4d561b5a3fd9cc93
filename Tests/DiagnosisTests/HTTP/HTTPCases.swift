import Wire

@testable import Diagnosis

/// Cases of the rules of HTTP.
enum HTTPCases {
    static let all: [RuleCase] =
        exchanges.flatMap(\.cases) + expectations + refusals + closes + cookies + pipelines
        + retries + cuts

    typealias Rules = HTTPRules

    static let exchanges: [ExchangeCases] = requestCases + noteCases + answerCases

    static let requestCases: [ExchangeCases] = [
        ExchangeCases(
            Rules.bodyOnGet, broken: (Plain.get("Content-Length: 5") + "hello", Plain.ok),
            good: (Plain.get("Content-Length: 0"), Plain.ok)),
        ExchangeCases(
            Rules.expectNotWaited, broken: (Plain.post("Expect: 100-continue"), Plain.ok),
            good: (Plain.post("Content-Type: text/plain"), Plain.ok)),
    ]

    static let noteCases: [ExchangeCases] = [
        ExchangeCases(
            Rules.twoLengths,
            broken: (
                Plain.post(
                    "Content-Length: 5\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"),
                Plain.ok
            ),
            good: (
                Plain.post("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n"), Plain.ok
            )),
        ExchangeCases(
            Rules.differentLengths,
            broken: (Plain.post("Content-Length: 5\nContent-Length: 6"), Plain.ok),
            good: (Plain.post("Content-Length: 5"), Plain.ok)),
        ExchangeCases(
            Rules.fieldSyntax, broken: (Plain.get("X-A : b"), Plain.ok),
            good: (Plain.get("X-A:   b"), Plain.ok)),
        ExchangeCases(
            Rules.missingHost, broken: ("GET / HTTP/1.1\nAccept: */*\n\n", Plain.ok),
            good: ("GET / HTTP/1.0\nAccept: */*\n\n", Plain.ok)),
        ExchangeCases(
            Rules.hostDiffers,
            broken: ("GET http://a.example/ HTTP/1.1\nHost: b.example\n\n", Plain.ok),
            good: ("GET http://a.example/ HTTP/1.1\nHost: a.example\n\n", Plain.ok)),
        ExchangeCases(
            Rules.oldChunked,
            broken: (
                "POST / HTTP/1.0\nHost: a.example\nTransfer-Encoding: chunked\n\n5\r\nhello\r\n0\r\n\r\n",
                Plain.ok
            ),
            good: ("POST / HTTP/1.0\nHost: a.example\n\nhello", Plain.ok)),
        ExchangeCases(
            Rules.serverTwoLengths,
            broken: (
                Plain.get,
                Plain.answer(
                    "200 OK", "Content-Length: 5\nTransfer-Encoding: chunked",
                    "5\r\nhello\r\n0\r\n\r\n")
            ),
            good: (Plain.get, Plain.ok)),
        ExchangeCases(
            Rules.serverDifferentLengths,
            broken: (
                Plain.get, Plain.answer("200 OK", "Content-Length: 2\nContent-Length: 3")
            ),
            good: (Plain.get, Plain.answer("200 OK", "Content-Length: 2"))),
        ExchangeCases(
            Rules.serverFieldSyntax, broken: (Plain.get, Plain.answer("200 OK", "no colon here")),
            good: (Plain.get, Plain.answer("200 OK", "X-Empty:"))),
        ExchangeCases(
            Rules.serverLengthForbidden,
            broken: (Plain.get, Plain.answer("204 No Content", "Content-Length: 2", "")),
            good: (Plain.get, Plain.answer("204 No Content", "", ""))),
    ]

    static let answerCases: [ExchangeCases] = [
        ExchangeCases(
            Rules.serverDate, broken: (Plain.get, "HTTP/1.1 200 OK\nServer: x\n\nok"),
            good: (Plain.get, "HTTP/1.1 500 Oh\nServer: x\n\nno")),
        ExchangeCases(
            Rules.serverAuthenticate, broken: (Plain.get, Plain.answer("401 Unauthorized")),
            good: (
                Plain.get, Plain.answer("401 Unauthorized", "WWW-Authenticate: Basic realm=\"a\"")
            )),
        ExchangeCases(
            Rules.serverAllow, broken: (Plain.get, Plain.answer("405 Method Not Allowed")),
            good: (Plain.get, Plain.answer("405 Method Not Allowed", "Allow: POST"))),
        ExchangeCases(
            Rules.serverLocation, broken: (Plain.get, Plain.answer("302 Found")),
            good: (Plain.get, Plain.answer("304 Not Modified", "", ""))),
        ExchangeCases(
            Rules.serverCoding,
            broken: (
                Plain.get("Accept-Encoding: gzip;q=0, deflate"),
                Plain.answer("200 OK", "Content-Encoding: gzip")
            ),
            good: (
                Plain.get("Accept-Encoding: br;q=0.5, *;q=0.1"),
                Plain.answer("200 OK", "Content-Encoding: gzip")
            )),
        ExchangeCases(
            Rules.serverChunkedToOld,
            broken: (
                "GET / HTTP/1.0\nHost: a.example\n\n",
                Plain.answer("200 OK", "Transfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n")
            ),
            good: (
                Plain.get,
                Plain.answer("200 OK", "Transfer-Encoding: chunked", "2\r\nok\r\n0\r\n\r\n")
            )),
    ]

    // MARK: Several exchanges

    static let chunked = Plain.post(
        "Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n")

    private static func expect(_ script: inout SessionScript, _ head: String, _ content: String) {
        let id = script.connection(at: 0)
        script.bytes(id, .client, Array(head.utf8), at: 1)
        script.bytes(id, .server, Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), at: 1.1)
        if !content.isEmpty { script.bytes(id, .client, Array(content.utf8), at: 1.2) }
        script.bytes(id, .server, SessionScript.message(Plain.ok), at: 1.3)
    }

    private static let expecting = "Host: server.example\r\nExpect: 100-continue\r\n"
    private static let expectations: [RuleCase] = [
        RuleCase(Rules.expectWithoutContent, .breaks, "nothing follows") {
            expect(&$0, "GET /things HTTP/1.1\r\n\(expecting)\r\n", "")
        },
        RuleCase(Rules.expectWithoutContent, .behaves, "the content follows") {
            expect(&$0, "POST /things HTTP/1.1\r\n\(expecting)Content-Length: 5\r\n\r\n", "hello")
        },
        RuleCase(Rules.expectWithoutContent, .silent, "Tapedeck sets the field") { script in
            script.rule("=> set-header Expect 100-CONTINUE sender=client")
            expect(
                &script, "GET /things HTTP/1.1\r\n\(expecting)\r\n", "")
        },
    ]

    static let refusals: [RuleCase] = [
        RuleCase(Rules.chunkedRefused, .breaks, "chunks again after 411") { script in
            let id = script.connection(at: 0)
            script.exchange(id, chunked, Plain.answer("411 Length Required"), at: 1)
            script.exchange(id, chunked, Plain.ok, at: 9)
        },
        RuleCase(Rules.chunkedRefused, .behaves, "a length after 411") { script in
            let id = script.connection(at: 0)
            script.exchange(id, chunked, Plain.answer("411 Length Required"), at: 1)
            script.exchange(id, Plain.post, Plain.ok, at: 9)
        },
        RuleCase(Rules.chunkedRefused, .silent, "chunks that Tapedeck made") { script in
            let id = script.connection(at: 0)
            script.exchange(id, chunked, Plain.answer("411 Length Required"), at: 1)
            script.rule("=> set-header X-Tapedeck 1 sender=client", at: 9)
            script.exchange(id, chunked, Plain.ok, at: 9)
        },
        RuleCase(Rules.compressedWithoutCoding, .breaks, "gzip as JSON") {
            gzip(&$0, "application/json")
        },
        RuleCase(Rules.compressedWithoutCoding, .behaves, "a file of gzip") {
            gzip(&$0, "application/gzip")
        },
        RuleCase(Rules.compressedWithoutCoding, .silent, "what Tapedeck changed") { script in
            gzip(&script, "application/json")
            script.rule("=> corrupt at=3 sender=client")
        },
        RuleCase(Rules.unreadable, .breaks, "more content than its length") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, Array(overlong.utf8), at: 1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 1.1)
        },
        RuleCase(Rules.unreadable, .behaves, "two requests in one read") { script in
            let id = script.connection(at: 0)
            let get = SessionScript.message(Plain.get)
            script.bytes(id, .client, get + get, at: 1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 1.1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 1.2)
        },
        RuleCase(Rules.unreadable, .silent, "bytes are missing") { script in
            let id = script.connection(at: 0)
            script.gap(id, .client, at: 0.5)
            script.bytes(id, .client, Array(overlong.utf8), at: 1)
        },
        RuleCase(Rules.serverUnreadable, .breaks, "an answer that is none") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.get), at: 1)
            script.bytes(id, .server, Array("SSH-2.0-OpenSSH_9.6\r\n\r\n".utf8), at: 1.1)
        },
        RuleCase(Rules.serverUnreadable, .behaves, "an answer without reason") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get, Plain.answer("200 "), at: 1)
        },
        RuleCase(Rules.serverUnreadable, .silent, "bytes are missing") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.get), at: 1)
            script.gap(id, .server, at: 1.05)
            script.bytes(id, .server, Array("SSH-2.0-OpenSSH_9.6\r\n\r\n".utf8), at: 1.1)
        },
        RuleCase(Rules.serverUnasked, .breaks, "a second answer") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get, Plain.ok, at: 1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 2)
        },
        RuleCase(Rules.serverUnasked, .behaves, "an answer before the final one") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.post), at: 1)
            script.bytes(id, .server, Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), at: 1.1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 2)
        },
        RuleCase(Rules.serverUnasked, .silent, "a fault duplicates") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get, Plain.ok, at: 1)
            script.rule("=> answer-twice")
        } unlike: { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get, Plain.ok, at: 1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 1.01)
        },
    ]

    static let overlong =
        "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n\r\n{\u{1}\u{2}\r\n\r\nnothing like a request\r\n\r\n"

    static func gzip(_ script: inout SessionScript, _ type: String) {
        let id = script.connection(at: 0)
        let head =
            "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Type: \(type)\r\nContent-Length: 4\r\n\r\n"
        script.bytes(id, .client, Array(head.utf8) + [0x1F, 0x8B, 8, 0], at: 1)
        script.bytes(id, .server, SessionScript.message(Plain.ok), at: 1.01)
    }

    static let closing = Plain.answer("200 OK", "Connection: close")

    static let closes: [RuleCase] = [
        RuleCase(Rules.afterClose, .breaks, "a request a second after close") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get, closing, at: 1)
            script.exchange(id, Plain.get, Plain.ok, at: 2)
        },
        RuleCase(Rules.afterClose, .breaks, "a request after its own close") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get("Connection: foo, Close"), Plain.ok, at: 1)
            script.exchange(id, Plain.get, Plain.ok, at: 2)
        },
        RuleCase(Rules.afterClose, .behaves, "a request that was on its way") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.get, closing, at: 1, took: 0.5)
            script.exchange(id, Plain.get, Plain.ok, at: 1.55)
        },
        RuleCase(Rules.afterClose, .behaves, "another connection") { script in
            script.exchange(script.connection(at: 0), Plain.get, closing, at: 1)
            script.exchange(
                script.connection(at: 2), Plain.get("Connection: close-ish"), Plain.ok, at: 3)
        },
        RuleCase(
            Rules.afterClose, .silent, "the answer was cut before its end",
            also: ["http.server-short-body"]
        ) { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.get), at: 1)
            script.bytes(
                id, .server,
                Array(
                    "HTTP/1.1 200 OK\r\n\(Plain.date)\r\nConnection: close\r\nContent-Length: 9\r\n\r\nhal"
                        .utf8), at: 1.1)
            script.close(id, at: 1.2, by: .server)
        },
    ]

    static func losesCookie(_ script: inout SessionScript) {
        session(&script, second: "Accept: */*")
    }

    static func session(
        _ script: inout SessionScript, set: String = "sid=abc; Path=/; HttpOnly",
        second: String, on other: Bool = false
    ) {
        let id = script.connection(at: 0)
        script.exchange(id, Plain.get, Plain.answer("200 OK", "Set-Cookie: \(set)", "ok"), at: 1)
        script.exchange(id, Plain.get("Cookie: a=1; sid=abc"), Plain.ok, at: 2)
        let last = other ? script.connection(at: 3, client: "127.0.0.1:5001") : id
        script.exchange(
            last, "GET /things/2 HTTP/1.1\nHost: server.example\n\(second)\n\n", Plain.ok, at: 30)
    }

    static let cookies: [RuleCase] = [
        RuleCase(Rules.cookieLost, .breaks, "the session cookie goes missing") { losesCookie(&$0) },
        RuleCase(Rules.cookieLost, .behaves, "the cookie among others") {
            session(&$0, second: "Cookie: x=y;sid=abc")
        },
        RuleCase(Rules.cookieLost, .behaves, "the cookie has expired") {
            session(&$0, set: "sid=abc; Path=/; Max-Age=20", second: "Accept: */*")
        },
        RuleCase(Rules.cookieLost, .behaves, "the cookie is for another path") {
            session(&$0, set: "sid=abc; Path=/things/1", second: "Accept: */*")
        },
        RuleCase(Rules.cookieLost, .behaves, "another program of the same address") {
            session(&$0, second: "Accept: */*", on: true)
        },
        RuleCase(Rules.cookieLost, .silent, "Tapedeck takes the field away") { script in
            session(&script, second: "Cookie: sid=abc")
            script.rule("=> remove-header Cookie sender=client", at: 30)
        } unlike: {
            losesCookie(&$0)
        },
        RuleCase(Rules.cookiesIgnored, .breaks, "set with each answer") { script in
            let id = script.connection(at: 0)
            for at in [1.0, 2, 3] {
                script.exchange(
                    id, Plain.get, Plain.answer("200 OK", "Set-Cookie: sid=\(at)"), at: at)
            }
        },
        RuleCase(Rules.cookiesIgnored, .behaves, "renewed and sent back") { script in
            let id = script.connection(at: 0)
            for at in [1.0, 2, 3] {
                script.exchange(
                    id, at > 1 ? Plain.get("Cookie: sid=1") : Plain.get,
                    Plain.answer("200 OK", "Set-Cookie: sid=\(at); Path=/"), at: at)
            }
        },
        RuleCase(Rules.cookiesIgnored, .silent, "Tapedeck sets it") { script in
            let id = script.connection(at: 0)
            for at in [1.0, 2, 3] {
                script.rule(
                    "=> set-header Set-Cookie 'sid=\(at)' sender=server", at: at, within: 0.1)
                script.exchange(
                    id, Plain.get, Plain.answer("200 OK", "Set-Cookie: sid=0"), at: at)
            }
        },
    ]

    static let pipelines: [RuleCase] = [
        RuleCase(Rules.pipelinedAfterPost, .breaks, "a GET behind a POST") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.post), at: 1)
            script.bytes(id, .client, SessionScript.message(Plain.get), at: 1.1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 2)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 2.1)
        },
        RuleCase(Rules.pipelinedAfterPost, .behaves, "a POST behind a GET") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.get), at: 1)
            script.bytes(id, .client, SessionScript.message(Plain.post), at: 1.1)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 2)
            script.bytes(id, .server, SessionScript.message(Plain.ok), at: 2.1)
        },
        RuleCase(Rules.pipelinedAfterPost, .silent, "the POST is never answered") { script in
            let id = script.connection(at: 0)
            script.bytes(id, .client, SessionScript.message(Plain.post), at: 1)
            script.bytes(id, .client, SessionScript.message(Plain.get), at: 1.1)
            script.close(id, at: 9, by: .server)
        },
    ]

    /// A POST whose answer ends early; `peer` closes.
    static func half(
        _ script: inout SessionScript, by peer: Peer = .server, action: String? = nil
    ) {
        let id = script.connection(at: 0)
        script.bytes(id, .client, SessionScript.message(Plain.post), at: 1)
        script.bytes(
            id, .server,
            Array("HTTP/1.1 200 OK\r\n\(Plain.date)\r\nContent-Length: 9\r\n\r\nhal".utf8), at: 1.1)
        if let action { script.act(id, action, at: 1.2) }
        script.close(id, at: 1.3, by: peer)
    }

    static let cuts: [RuleCase] = [
        RuleCase(Rules.serverShortBody, .breaks, "the server closes within") { half(&$0) },
        RuleCase(Rules.serverShortBody, .behaves, "the client closes within") {
            half(&$0, by: .client)
        },
        RuleCase(Rules.serverShortBody, .silent, "a fault closes within") {
            half(&$0, action: "reset")
        },
        RuleCase(Rules.requestCut, .breaks, "half a request") { asks(&$0) },
        RuleCase(Rules.requestCut, .behaves, "all of it") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.post, Plain.ok, at: 1)
            script.close(id, at: 2)
        },
        RuleCase(Rules.requestCut, .silent, "a fault cuts") { asks(&$0, action: "close") },
    ]

    static func asks(_ script: inout SessionScript, action: String? = nil) {
        let id = script.connection(at: 0)
        script.bytes(
            id, .client,
            Array("POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 9\r\n\r\nhal".utf8), at: 1
        )
        if let action { script.act(id, action, at: 1.5) }
        script.close(id, at: 2, by: .client)
    }
}
