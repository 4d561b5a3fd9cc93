import Wire

@testable import Diagnosis

/// Cases of the rules of WebSocket.
enum WebSocketCases {
    static let all: [RuleCase] =
        WebSocketRules.faults.flatMap { fault in
            Peer.allCases.flatMap { peer in
                fault.rule(of: peer).map { frameCases($0, fault.code, peer) } ?? []
            }
        } + handshakes + ends + pings

    private typealias Rules = WebSocketRules

    // MARK: Sockets

    private static let request = [
        "GET /live HTTP/1.1", "Host: server.example", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]
    private static let response = [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    /// A client connects and opens a WebSocket; heads may be other than right.
    @discardableResult
    static func socket(
        _ script: inout SessionScript, _ request: [String]? = nil, _ response: [String]? = nil
    ) -> ConnectionID {
        let id = script.connection(at: 0)
        script.exchange(
            id, (request ?? Self.request).joined(separator: "\n") + "\n\n",
            (response ?? Self.response).joined(separator: "\n") + "\n\n", at: 1)
        return id
    }

    private static func without(
        _ lines: [String], _ name: String, _ other: String? = nil
    )
        -> [String]
    {
        lines.filter { !$0.hasPrefix(name) } + (other.map { [$0] } ?? [])
    }

    /// A frame with any header; masked where a client sends it, unless told.
    static func frame(
        _ first: UInt8, _ payload: [UInt8] = [], _ peer: Peer, masked: Bool? = nil,
        length: [UInt8]? = nil
    ) -> [UInt8] {
        let isMasked = masked ?? (peer == .client)
        var size =
            length
            ?? (payload.count < 126
                ? [UInt8(payload.count)]
                : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)])
        if isMasked { size[0] |= 0x80 }
        let key: [UInt8] = [1, 2, 3, 4]
        return [first] + size
            + (isMasked ? key + payload.enumerated().map { $1 ^ key[$0 % 4] } : payload)
    }

    /// What breaks a rule, and what comes close to it.
    private static func bytes(_ code: String, _ peer: Peer) -> (broken: [UInt8], good: [UInt8]) {
        let text = frame(0x81, [0x68, 0x69], peer)
        return switch code {
        case "websocket.unmasked": (frame(0x81, [0x68, 0x69], peer, masked: false), text)
        case "websocket.masked": (frame(0x81, [0x68, 0x69], peer, masked: true), text)
        case "websocket.reserved-bits":
            // RSV1 has a meaning here, RSV3 has none.
            (frame(0x91, [0x68], peer), frame(0xC1, [0x4B, 0x04, 0x00], peer))
        case "websocket.reserved-opcode": (frame(0x83, [0x68], peer), frame(0x82, [0x68], peer))
        case "websocket.length-not-minimal":
            (
                frame(0x81, [0x68, 0x69], peer, length: [126, 0, 2]),
                frame(0x81, Array(repeating: 0x68, count: 126), peer)
            )
        case "websocket.control-too-long":
            (
                frame(0x8A, Array(repeating: 0x68, count: 126), peer),
                frame(0x8A, Array(repeating: 0x68, count: 125), peer)
            )
        case "websocket.control-fragmented": (frame(0x0A, [], peer), frame(0x8A, [], peer))
        case "websocket.continuation-without-start":
            (frame(0x80, [0x68], peer), frame(0x01, [0x68], peer) + frame(0x80, [0x68], peer))
        case "websocket.message-interrupted":
            (
                frame(0x01, [0x68], peer) + frame(0x81, [0x68], peer),
                frame(0x01, [0x68], peer) + frame(0x8A, [], peer) + frame(0x80, [0x68], peer)
            )
        case "websocket.message-unfinished":
            (frame(0x01, [0x68], peer), frame(0x01, [0x68], peer) + frame(0x80, [], peer))
        case "websocket.after-close":
            (
                frame(0x88, [3, 0xE8], peer) + frame(0x81, [0x68], peer),
                frame(0x81, [0x68], peer) + frame(0x88, [3, 0xE8], peer)
            )
        case "websocket.close-code":
            (frame(0x88, [3, 0xED], peer), frame(0x88, [0x0F, 0xA0], peer))
        case "websocket.close-payload": (frame(0x88, [3], peer), frame(0x88, [], peer))
        case "websocket.not-utf8":
            (frame(0x81, [0xC3, 0x28], peer), frame(0x81, [0xC3, 0xA8], peer))
        case "websocket.inflate-failed":
            (frame(0xC1, [0x07, 0xFF, 0xFF], peer), frame(0xC1, [0x4B, 0x04, 0x00], peer))
        default:
            (
                frame(0x82, [], peer, length: [127] + Array(repeating: 0xFF, count: 8)),
                frame(0x82, Array(repeating: 7, count: 300), peer)
            )
        }
    }

    private static func frameCases(_ rule: Rule, _ code: String, _ peer: Peer) -> [RuleCase] {
        let (broken, good) = bytes(code, peer)
        let deflate = "Sec-WebSocket-Extensions: permessage-deflate"
        @Sendable func write(_ script: inout SessionScript, _ bytes: [UInt8], disturbed: Bool) {
            let id = socket(&script, request + [deflate], response + [deflate])
            if disturbed { script.act(id, "latency 1ms", at: 1.9) }
            script.bytes(id, peer, bytes, at: 2)
            // Whoever got a Close answers it.
            if bytes.first == 0x88 || code == "websocket.after-close" {
                script.bytes(id, peer.other, frame(0x88, [3, 0xE8], peer.other), at: 2.1)
            }
            if code == "websocket.message-unfinished" {
                for each in [peer.other, peer] { script.bytes(id, each, bye(each), at: 3) }
                script.close(id, at: 3, by: peer.other)
            }
        }
        return [
            RuleCase(rule, .breaks, code) { write(&$0, broken, disturbed: false) },
            RuleCase(rule, .behaves, code) { write(&$0, good, disturbed: false) },
            RuleCase(rule, .silent, "\(code) by a fault") { write(&$0, broken, disturbed: true) },
            RuleCase(rule, .silent, "\(code) after missing bytes") { script in
                let id = socket(&script, request + [deflate], response + [deflate])
                script.gap(id, nil, at: 1.5)
                script.bytes(id, peer, broken, at: 2)
            },
        ]
    }

    // MARK: Handshake

    private static func handshake(
        _ rule: Rule, _ broken: ([String], [String]), _ good: ([String], [String])
    ) -> [RuleCase] {
        [
            RuleCase(rule, .breaks, "a head that is wrong") { socket(&$0, broken.0, broken.1) },
            RuleCase(rule, .behaves, "heads that are right") { socket(&$0, good.0, good.1) },
            RuleCase(rule, .silent, "a head that Tapedeck changed") { script in
                socket(&script, broken.0, broken.1)
                script.rule("=> set-header X-Tapedeck 1 sender=\(rule.blames)")
            },
        ]
    }

    private static let handshakes: [RuleCase] =
        handshake(
            Rules.handshakeRequest,
            (without(request, "Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"), response),
            (without(request, "Connection", "connection: keep-alive, UPGRADE"), response))
        + handshake(
            Rules.handshakeResponse,
            (
                request,
                without(
                    response, "Sec-WebSocket-Accept",
                    "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
            ),
            (request, without(response, "Connection", "connection: upgrade")))
        + handshake(
            Rules.extensionNotOffered,
            (request, response + ["Sec-WebSocket-Extensions: permessage-deflate"]),
            (
                request + [
                    "Sec-WebSocket-Extensions: a, permessage-deflate; client_max_window_bits"
                ],
                response + ["Sec-WebSocket-Extensions: permessage-deflate"]
            ))
        + handshake(
            Rules.protocolNotOffered, (request, response + ["Sec-WebSocket-Protocol: chat"]),
            (
                request + ["Sec-WebSocket-Protocol: soap, chat"],
                response + ["Sec-WebSocket-Protocol: chat"]
            ))

    // MARK: Ends

    private static func bye(_ peer: Peer) -> [UInt8] { frame(0x88, [3, 0xE8], peer) }

    private static let ends: [RuleCase] = Peer.allCases.flatMap { peer -> [RuleCase] in
        let noClose = peer == .client ? Rules.noCloseFrame : Rules.serverNoCloseFrame
        let other = peer == .client ? Rules.serverNoCloseFrame : Rules.noCloseFrame
        let unanswered = peer == .client ? Rules.closeUnanswered : Rules.serverCloseUnanswered
        return [
            RuleCase(noClose, .breaks, "the connection ends without Close") { script in
                let id = socket(&script)
                script.close(id, at: 60, by: peer)
            },
            RuleCase(noClose, .behaves, "Close, Close, end") { script in
                let id = socket(&script)
                script.bytes(id, peer, bye(peer), at: 5)
                script.bytes(id, peer.other, bye(peer.other), at: 5.1)
                script.close(id, at: 6, by: .server)
            },
            RuleCase(noClose, .behaves, "the other side ends it", also: [other.id]) { script in
                let id = socket(&script)
                script.close(id, at: 60, by: peer.other)
            },
            // A server knows that it has answered; a client may have given up before.
            RuleCase(
                noClose, peer == .client ? .silent : .breaks, "the end within a second of the 101"
            ) { script in
                let id = socket(&script)
                script.close(id, at: 1.9, by: peer)
            },
            RuleCase(noClose, .breaks, "the end at once behind a message") { script in
                let id = socket(&script)
                script.bytes(id, peer, frame(0x81, [0x78], peer), at: 1.5)
                script.close(id, at: 1.9, by: peer)
            },
            RuleCase(noClose, .silent, "a fault cuts the connection") { script in
                let id = socket(&script)
                script.act(id, "reset", at: 60)
                script.close(id, at: 60, by: peer)
            },
            RuleCase(unanswered, .breaks, "no answer for ten minutes") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, bye(peer.other), at: 5)
            },
            RuleCase(unanswered, .breaks, "the end in place of an answer") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, bye(peer.other), at: 5)
                script.close(id, at: 6, by: peer)
            },
            RuleCase(unanswered, .behaves, "an answer after some seconds") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, bye(peer.other), at: 5)
                script.bytes(id, peer, bye(peer), at: 19)
            },
            RuleCase(unanswered, .behaves, "both say it at once") { script in
                let id = socket(&script)
                script.bytes(id, peer, bye(peer), at: 5)
                script.bytes(id, peer.other, bye(peer.other), at: 5)
                script.close(id, at: 6, by: peer)
            },
            RuleCase(unanswered, .silent, "whoever said it ends the connection") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, bye(peer.other), at: 5)
                script.close(id, at: 5.1, by: peer.other)
            },
            RuleCase(unanswered, .silent, "a fault delays the connection") { script in
                let id = socket(&script)
                script.act(id, "latency 1s", at: 30)
                script.bytes(id, peer.other, bye(peer.other), at: 60)
                script.close(id, at: 61, by: peer)
            } unlike: { script in
                let id = socket(&script)
                script.bytes(id, peer.other, bye(peer.other), at: 60)
                script.close(id, at: 61, by: peer)
            },
            RuleCase(unanswered, .silent, "a fault closes it with a code") { script in
                let id = socket(&script)
                script.act(id, "close-code 1000", at: 5)
                script.bytes(id, peer.other, bye(peer.other), at: 5, isCalm: true)
                script.close(id, at: 5.1, by: peer)
            },
        ]
    }

    // MARK: Pings

    private static let pings: [RuleCase] = Peer.allCases.flatMap { peer -> [RuleCase] in
        let rule = peer == .client ? Rules.pingUnanswered : Rules.serverPingUnanswered
        let ping = frame(0x89, [0x31], peer.other)
        let pong = frame(0x8A, [0x31], peer)
        return [
            RuleCase(rule, .breaks, "pings without pong") { script in
                let id = socket(&script)
                for at in [5.0, 15, 25, 35] { script.bytes(id, peer.other, ping, at: at) }
            },
            RuleCase(rule, .behaves, "one pong for two pings") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, ping, at: 5)
                script.bytes(id, peer.other, ping, at: 15)
                script.bytes(id, peer, pong, at: 24)
            },
            RuleCase(rule, .behaves, "each answered in time") { script in
                let id = socket(&script)
                for at in stride(from: 5.0, to: 100, by: 10) {
                    script.bytes(id, peer.other, ping, at: at)
                    script.bytes(id, peer, pong, at: at + 1)
                }
            },
            RuleCase(rule, .behaves, "a Close in place of a pong") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, ping, at: 5)
                script.bytes(id, peer, bye(peer), at: 6)
                script.bytes(id, peer.other, bye(peer.other), at: 6.1)
            },
            RuleCase(rule, .silent, "the connection ends before") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, ping, at: 5)
                for each in [peer.other, peer] { script.bytes(id, each, bye(each), at: 20) }
                script.close(id, at: 20)
            },
            RuleCase(rule, .silent, "a fault stalls the connection") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, ping, at: 5)
                script.act(id, "stall", at: 6)
            },
            RuleCase(rule, .silent, "the connection was stalled long before") { script in
                let id = socket(&script)
                script.act(id, "stall", at: 2)
                script.bytes(id, peer.other, ping, at: 200)
            },
            RuleCase(rule, .silent, "the session is still running") { script in
                let id = socket(&script)
                script.bytes(id, peer.other, ping, at: 5)
                script.end = 20
                script.isRunning = true
            },
        ]
    }
}
