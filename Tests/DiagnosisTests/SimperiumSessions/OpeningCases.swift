import Wire

@testable import Diagnosis

/// Cases of rules about opening buckets and connections.
enum OpeningCases {
    private typealias R = SimperiumSessionRules

    static let all: [RuleCase] =
        opening + tokens + identities + connections
        + heartbeats

    private static let opening: [RuleCase] = [
        RuleCase(R.commandBeforeInit, .breaks, "a command on a channel that nobody opened") {
            let socket = $0.synced()
            $0.client(socket, "1:cv:cv0", at: 1)
        },
        RuleCase(R.commandBeforeInit, .breaks, "the first message is no init") {
            let socket = $0.socket(at: 0)
            $0.client(socket, "0:i::::100", at: 0.1)
        },
        RuleCase(R.commandBeforeInit, .behaves, "the init comes first") {
            let socket = $0.synced()
            $0.open(socket, channel: 1, bucket: "tag", at: 1)
            $0.client(socket, "1:i:1:::100", at: 1.1)
            $0.server(socket, #"1:i:{"current":"t0","index":[]}"#, at: 1.2)
        },
        RuleCase(R.commandBeforeInit, .silent, "bytes are missing where the init may have been") {
            let socket = $0.synced()
            $0.gap(socket, at: 0.5)
            $0.client(socket, "1:cv:cv0", at: 1)
        },
        RuleCase(R.commandBeforeAuth, .breaks, "the request goes out with the init") {
            let socket = $0.socket(at: 0)
            $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
            $0.client(socket, "0:i:1:::100", at: 0.11)
            $0.server(socket, "0:auth:user@example.com", at: 0.2)
        },
        RuleCase(R.commandBeforeAuth, .behaves, "the request travels in the init") {
            let socket = $0.socket(at: 0)
            $0.open(socket, command: "i:1:::100", at: 0.1)
            $0.server(socket, SessionScript.page, at: 0.2)
        },
        RuleCase(R.commandBeforeAuth, .silent, "the channel is opened again") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.initiation(channel: 0, bucket: "note"), at: 1)
            $0.client(socket, "0:cv:cv0", at: 1.01)
            $0.server(socket, "0:auth:user@example.com", at: 1.1)
            $0.server(socket, "0:c:[]", at: 1.2)
        },
        RuleCase(R.commandAfterRefusal, .breaks, "401 and i all the same") {
            let socket = $0.socket(at: 0)
            $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
            $0.server(socket, #"0:auth:{"msg":"Token invalid","code":401}"#, at: 0.2)
            $0.client(socket, "0:i::::100", at: 0.3)
        },
        RuleCase(R.commandAfterRefusal, .breaks, "auth:expired is taken for a user") {
            let socket = $0.socket(at: 0)
            $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
            $0.server(socket, "0:auth:expired", at: 0.2)
            $0.client(socket, "0:cv:cv0", at: 0.3)
        },
        RuleCase(R.commandAfterRefusal, .behaves, "another token comes first") {
            let socket = $0.socket(at: 0)
            $0.client(socket, SessionScript.initiation(channel: 0, bucket: "note"), at: 0.1)
            $0.server(socket, #"0:auth:{"msg":"Token invalid","code":401}"#, at: 0.2)
            $0.client(
                socket,
                SessionScript.initiation(channel: 0, bucket: "note").replacing(
                    #""token":"t""#, with: #""token":"u""#), at: 0.3)
            $0.server(socket, "0:auth:user@example.com", at: 0.4)
            $0.client(socket, "0:i:1:::100", at: 0.5)
            $0.server(socket, SessionScript.page, at: 0.6)
        },
        RuleCase(
            R.commandAfterRefusal, .behaves, "another token, before it is said why",
            also: ["simperium.server.unasked", "simperium.server.auth-form"]
        ) {
            let socket = $0.socket(at: 0)
            $0.client(socket, SessionScript.initiation(channel: 0, bucket: "note"), at: 0.1)
            $0.server(socket, "0:auth:expired", at: 0.2)
            $0.client(
                socket,
                SessionScript.initiation(channel: 0, bucket: "note").replacing(
                    #""token":"t""#, with: #""token":"u""#), at: 0.25)
            $0.server(socket, #"0:auth:{"msg":"Token invalid","code":401}"#, at: 0.3)
            $0.server(socket, "0:auth:user@example.com", at: 0.4)
            $0.client(socket, "0:i:1:::100", at: 0.5)
            $0.server(socket, SessionScript.page, at: 0.6)
        },
        RuleCase(R.commandAfterRefusal, .silent, "the refusal of an open channel crosses a request")
        {
            let socket = $0.synced()
            $0.client(socket, SessionScript.initiation(channel: 0, bucket: "note"), at: 1)
            $0.server(socket, #"0:auth:{"msg":"Token invalid","code":401}"#, at: 1.1)
            $0.client(socket, "0:cv:cv0", at: 1.2)
        },
        RuleCase(R.bucketTwice, .breaks, "one bucket on two channels") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.initiation(bucket: "note"), at: 1)
            $0.server(socket, "1:auth:user@example.com", at: 1.1)
        },
        RuleCase(R.bucketTwice, .behaves, "two buckets") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.initiation(), at: 1)
            $0.server(socket, "1:auth:user@example.com", at: 1.1)
        },
        RuleCase(R.bucketTwice, .silent, "the server refused the first") {
            let socket = $0.socket(at: 0)
            $0.client(socket, SessionScript.initiation(channel: 0), at: 0.1)
            $0.server(socket, #"0:auth:{"msg":"bucket limit","code":500}"#, at: 0.2)
            $0.client(socket, SessionScript.initiation(), at: 1)
            $0.server(socket, "1:auth:user@example.com", at: 1.1)
        },
    ]

    private static func refused(_ script: inout SessionScript, code: Int, tokens: [String]) {
        for (number, token) in tokens.enumerated() {
            let at = Double(number) * 10
            let socket = script.socket(at: at, client: "127.0.0.1:\(5000 + number)")
            script.client(
                socket,
                SessionScript.initiation(channel: 0).replacing(
                    #""token":"t""#, with: #""token":"\#(token)""#), at: at + 0.1)
            script.server(socket, #"0:auth:{"msg":"no","code":\#(code)}"#, at: at + 0.2)
            script.close(socket, at: at + 1)
        }
    }

    private static let tokens: [RuleCase] = [
        RuleCase(R.sameTokenAgain, .breaks, "the invalid token three times") {
            refused(&$0, code: 401, tokens: ["t", "t", "t"])
        },
        RuleCase(R.sameTokenAgain, .behaves, "another token each time") {
            refused(&$0, code: 401, tokens: ["t", "u", "v", "w"])
        },
        RuleCase(R.sameTokenAgain, .silent, "500 says nothing about the token") {
            refused(&$0, code: 500, tokens: ["t", "t", "t"])
        },
        RuleCase(R.sameTokenAgain, .silent, "one more attempt") {
            refused(&$0, code: 400, tokens: ["t", "t"])
        },
    ]

    private static let identities: [RuleCase] = [
        RuleCase(R.clientIDChanged, .breaks, "the unacknowledged change under a new clientid") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.sent(), at: 1)
            $0.close(socket, at: 2)
            let other = $0.resumed(at: 10, clientID: "c-2")
            $0.client(other, SessionScript.sent(), at: 11)
            $0.server(other, SessionScript.reported(by: "c-2"), at: 11.1)
        },
        RuleCase(R.clientIDChanged, .behaves, "the same clientid") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.sent(), at: 1)
            $0.close(socket, at: 2)
            let other = $0.resumed(at: 10)
            $0.client(other, SessionScript.sent(), at: 11)
            $0.server(other, SessionScript.reported(), at: 11.1)
        },
        RuleCase(R.clientIDChanged, .silent, "the change was answered before") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.close(socket, at: 2)
            let other = $0.resumed(at: 10, cv: "cv1", clientID: "c-2")
            $0.client(other, SessionScript.sent("b", sv: 3), at: 11)
            $0.server(other, SessionScript.reported("b", sv: 3, cv: "cv2", by: "c-2"), at: 11.1)
        },
        RuleCase(R.sharedClientID, .breaks, "two tabs that both edit") {
            let (one, two) = ($0.synced(), $0.synced(at: 1, client: "127.0.0.1:5001"))
            for (index, socket) in [one, two, one, two].enumerated() {
                let at = 5 + Double(index) * 6
                $0.client(
                    socket, SessionScript.sent(sv: index + 1, ccid: "aa0\(index)", to: "\(index)"),
                    at: at)
                for each in [one, two] {
                    $0.server(
                        each,
                        SessionScript.reported(
                            sv: index + 1, ccid: "aa0\(index)", to: "\(index)", cv: "cv1\(index)"),
                        at: at + 0.1)
                }
            }
        },
        RuleCase(R.sharedClientID, .behaves, "two tabs with a clientid each") {
            let one = $0.synced()
            let two = $0.synced(at: 1, clientID: "c-2", client: "127.0.0.1:5001")
            for (index, socket) in [one, two, one, two].enumerated() {
                let at = 5 + Double(index) * 6
                $0.client(
                    socket, SessionScript.sent(sv: index + 1, ccid: "aa0\(index)", to: "\(index)"),
                    at: at)
                for each in [one, two] {
                    $0.server(
                        each,
                        SessionScript.reported(
                            sv: index + 1, ccid: "aa0\(index)", to: "\(index)", cv: "cv1\(index)",
                            by: index % 2 == 0 ? "c-1" : "c-2"),
                        at: at + 0.1)
                }
            }
        },
        RuleCase(R.sharedClientID, .silent, "the first connection falls silent, as a dead one does")
        {
            let (one, two) = ($0.synced(), $0.synced(at: 4, client: "127.0.0.1:5001"))
            $0.client(one, SessionScript.sent(), at: 3)
            $0.client(two, SessionScript.sent(), at: 20)
            $0.server(two, SessionScript.reported(), at: 20.1)
            $0.editAndTell(two, sv: 2, ccid: "aa02", to: "z", cv: "cv2", at: 40)
        } unlike: {
            let (one, two) = ($0.synced(), $0.synced(at: 4, client: "127.0.0.1:5001"))
            for (index, socket) in [one, two, one, two].enumerated() {
                let at = 5 + Double(index) * 6
                $0.editAndTell(
                    socket, sv: index + 1, ccid: "aa0\(index)", to: "\(index)",
                    cv: "cv1\(index)", at: at)
            }
        },
    ]

    /// A client connects so many times and sends nothing; known, if it had a bucket before.
    private static func refused(
        _ script: inout SessionScript, _ times: Int, pause: Double, isKnown: Bool = true
    ) {
        if isKnown {
            let socket = script.synced()
            script.close(socket, at: 4)
        }
        var at = 10.0
        for number in 0..<times {
            let connection = script.connection(at: at, client: "127.0.0.1:\(6000 + number)")
            script.close(connection, at: at + 0.001, by: .server)
            at += 0.001 + pause
        }
    }

    private static func storm(_ script: inout SessionScript, pauses: [Double], isLet: Bool) {
        var at = 0.0
        for (number, pause) in ([0] + pauses).enumerated() {
            at += pause
            let socket = script.socket(at: at, client: "127.0.0.1:\(5000 + number)")
            script.client(
                socket, SessionScript.initiation(channel: 0, bucket: "note"), at: at + 0.01)
            if isLet {
                script.server(socket, "0:auth:user@example.com", at: at + 0.05)
                script.client(socket, "0:cv:cv0", at: at + 0.06)
                script.server(socket, "0:c:[]", at: at + 0.08)
            }
            at += 0.1
            script.close(socket, at: at)
        }
    }

    private static let connections: [RuleCase] = [
        RuleCase(R.reconnectStorm, .breaks, "five tries at once") {
            storm(&$0, pauses: [0.1, 0.1, 0.1, 0.1], isLet: false)
        },
        RuleCase(R.reconnectStorm, .breaks, "left and opened again at once, many times") {
            storm(&$0, pauses: Array(repeating: 0.1, count: 9), isLet: true)
        },
        RuleCase(R.reconnectStorm, .breaks, "refused at once, again and again") {
            refused(&$0, 12, pause: 0.02)
        },
        RuleCase(R.reconnectStorm, .breaks, "refused at once, of a client that is not known") {
            refused(&$0, 24, pause: 0.02, isKnown: false)
        },
        RuleCase(R.reconnectStorm, .behaves, "refused at once, a few times") {
            refused(&$0, 5, pause: 0.02)
        } unlike: {
            refused(&$0, 12, pause: 0.02)
        },
        RuleCase(R.reconnectStorm, .behaves, "refused at once, with pauses") {
            refused(&$0, 12, pause: 0.5)
        } unlike: {
            refused(&$0, 12, pause: 0.02)
        },
        RuleCase(R.reconnectStorm, .behaves, "pauses that grow") {
            storm(&$0, pauses: [0.6, 1.2, 2.4, 4.8, 9.6], isLet: false)
        },
        RuleCase(R.reconnectStorm, .behaves, "a second each after a success") {
            storm(&$0, pauses: Array(repeating: 0.6, count: 9), isLet: true)
        },
        RuleCase(R.reconnectStorm, .silent, "bytes are missing") {
            var at = 0.0
            for number in 0..<6 {
                let socket = $0.socket(at: at, client: "127.0.0.1:\(5000 + number)")
                $0.gap(socket, at: at + 0.005)
                $0.client(socket, SessionScript.initiation(channel: 0), at: at + 0.01)
                $0.close(socket, at: at + 0.1)
                at += 0.2
            }
        },
        RuleCase(R.noReconnect, .breaks, "the server closes and the client stays away") {
            let socket = $0.synced()
            $0.frame(socket, .server, [0x03, 0xE9], opcode: 8, at: 5)
            $0.frame(socket, .client, [0x03, 0xE9], opcode: 8, at: 5.1)
            $0.close(socket, at: 5.2, by: .server)
        },
        RuleCase(R.noReconnect, .behaves, "the client comes back") {
            let socket = $0.synced()
            $0.frame(socket, .server, [0x03, 0xE9], opcode: 8, at: 5)
            $0.frame(socket, .client, [0x03, 0xE9], opcode: 8, at: 5.1)
            $0.close(socket, at: 5.2, by: .server)
            $0.resumed(at: 100)
        },
        RuleCase(R.noReconnect, .silent, "the client ended it") {
            let socket = $0.synced()
            $0.frame(socket, .client, [0x03, 0xE8], opcode: 8, at: 5)
            $0.close(socket, at: 5.2)
        },
        RuleCase(R.heartbeatMissing, .breaks, "two minutes of nothing, then an edit") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 120)
        },
        RuleCase(R.heartbeatMissing, .behaves, "a heartbeat every 15 s") {
            let socket = $0.synced()
            $0.beats(socket, from: 15, to: 118)
            $0.editAndTell(socket, at: 120)
        } unlike: {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 120)
        },
        RuleCase(R.heartbeatMissing, .breaks, "sends Close after 40 s of nothing") {
            let socket = $0.synced()
            $0.close(socket, at: 40.4)
        },
        RuleCase(
            R.heartbeatMissing, .silent, "the server ends it after 40 s of nothing",
            also: ["simperium.session.no-reconnect"]
        ) {
            let socket = $0.synced()
            $0.close(socket, at: 40.4, by: .server)
        } unlike: {
            let socket = $0.synced()
            $0.close(socket, at: 40.4)
        },
        RuleCase(R.heartbeatMissing, .behaves, "35 s are not too long") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 35)
            $0.beat(socket, at: 50)
        },
        RuleCase(R.heartbeatMissing, .silent, "a fault held the connection") {
            let socket = $0.synced()
            $0.act(socket, "latency 1ms", at: 60)
            $0.editAndTell(socket, at: 120)
        },
        RuleCase(R.deadConnection, .breaks, "heartbeats into nothing for minutes") {
            let socket = $0.synced()
            for number in 0..<10 {
                $0.client(socket, "h:\(number)", at: 20 + 20 * Double(number))
            }
        },
        RuleCase(R.deadConnection, .behaves, "left after a minute") {
            let socket = $0.synced()
            for number in 0..<3 {
                $0.client(socket, "h:\(number)", at: 20 + 20 * Double(number))
            }
            $0.close(socket, at: 80)
        },
        RuleCase(R.deadConnection, .silent, "bytes of the server are missing") {
            let socket = $0.synced()
            $0.gap(socket, at: 10)
            for number in 0..<10 {
                $0.client(socket, "h:\(number)", at: 20 + 20 * Double(number))
            }
        },
        RuleCase(R.notIncremented, .breaks, "always 1") {
            let socket = $0.synced()
            $0.beat(socket, 1, at: 20)
            $0.beat(socket, 1, at: 40)
        },
        RuleCase(R.notIncremented, .behaves, "the server's number plus one") {
            let socket = $0.synced()
            $0.beat(socket, 0, at: 20)
            $0.beat(socket, 2, at: 40)
        },
        RuleCase(R.notIncremented, .silent, "the answer was lost") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.lose(socket, .server, "h:1", at: 20.1)
            $0.client(socket, "h:0", at: 40)
            $0.server(socket, "h:1", at: 40.1)
        },
    ]
}

extension String {
    /// The text with every occurrence of another replaced.
    func replacing(_ old: String, with new: String) -> String {
        var (result, rest) = ("", self[...])
        while let range = rest.firstRange(of: old) {
            result += rest[..<range.lowerBound] + new
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
