import Wire

@testable import Diagnosis

/// Cases of rules about reading the index without need.
extension SyncingCases {
    /// Reads the index so many times, ten seconds apart.
    static func read(
        _ script: inout SessionScript, _ times: Int,
        between: (inout SessionScript, ConnectionID, Double) -> Void = { _, _, _ in }
    ) {
        let socket = script.synced()
        for number in 1..<times {
            let at = Double(number) * 10
            between(&script, socket, at - 1)
            script.client(socket, "0:i:1:::100", at: at)
            script.server(socket, SessionScript.page, at: at + 0.1)
        }
    }

    private static let page = SessionScript.page

    /// Three changes that are refused, and what follows each.
    private static func refused(
        _ script: inout SessionScript, _ code: Int, then request: String, _ answer: String
    ) {
        let socket = script.synced()
        script.beats(socket, from: 15, to: 305)
        for number in 1...3 {
            let at = Double(number) * 100
            let text = String(repeating: "y", count: number)
            script.client(socket, SessionScript.sent(ccid: "aa0\(number)", to: text), at: at)
            script.server(
                socket, #"0:c:[{"error":\#(code),"id":"a","ccids":["aa0\#(number)"]}]"#,
                at: at + 0.1)
            script.client(socket, request, at: at + 1)
            script.server(socket, answer, at: at + 1.1)
        }
    }

    /// Four connections that begin with a cv that the server knows.
    private static func returning(_ script: inout SessionScript, reading isReading: Bool) {
        let first = script.synced()
        script.close(first, at: 5)
        for number in 1...3 {
            let at = Double(number) * 100
            let socket = script.resumed(at: at)
            if isReading {
                script.client(socket, "0:i:1:::100", at: at + 1)
                script.server(socket, page, at: at + 1.1)
            }
            script.close(socket, at: at + 5)
        }
    }

    /// So many connections that begin with the index, of a client that ends them itself.
    private static func begin(
        _ script: inout SessionScript, _ times: Int, apart pause: Double = 10
    ) {
        for number in 0..<times {
            let at = Double(number) * pause
            let socket = script.synced(at: at, client: "127.0.0.1:\(5000 + number)")
            script.close(socket, at: at + 5)
        }
    }

    static let index: [RuleCase] = [
        RuleCase(R.readAgain, .breaks, "the index three times in 20 s") { read(&$0, 3) },
        RuleCase(R.readAgain, .behaves, "the index twice") { read(&$0, 2) },
        RuleCase(R.readAgain, .silent, "an entity was missing each time") {
            read(&$0, 4) { script, socket, at in
                script.client(socket, "0:e:a.1", at: at)
                script.server(socket, "0:e:a.1\n?", at: at + 0.1)
            }
        },
        RuleCase(R.readAgain, .silent, "faults came between") {
            read(&$0, 4) { script, socket, at in
                script.lose(socket, .server, "0:c:[]", at: at)
            }
        },
        RuleCase(
            R.readAgain, .breaks, "the index after each 413",
            also: ["simperium.change.resend-after-413"]
        ) {
            refused(&$0, 413, then: "0:i:1:::100", page)
        },
        RuleCase(R.readAgain, .breaks, "the index after each 405") {
            refused(&$0, 405, then: "0:i:1:::100", page)
        },
        RuleCase(R.readAgain, .behaves, "the one object after each 405") {
            refused(&$0, 405, then: "0:e:a.1", "0:e:a.1\n{\"data\":{\"t\":\"x\"}}")
        },
        RuleCase(R.readAgain, .breaks, "the index on each connection, after a cv that was known") {
            returning(&$0, reading: true)
        },
        RuleCase(R.readAgain, .behaves, "the changes on each connection") {
            returning(&$0, reading: false)
        },
        RuleCase(R.readAgain, .silent, "the change was refused for another reason") {
            refused(&$0, 500, then: "0:i:1:::100", page)
        } unlike: {
            refused(&$0, 405, then: "0:i:1:::100", page)
        },
        RuleCase(R.insteadOfCV, .breaks, "the whole index after a reconnect") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.frame(socket, .server, [0x03, 0xE9], opcode: 8, at: 70)
            $0.close(socket, at: 70.2, by: .server)
            $0.synced(
                at: 73, page: #"0:i:{"current":"cv1","index":[{"id":"a","v":2,"d":{"t":"y"}}]}"#)
        },
        RuleCase(R.insteadOfCV, .breaks, "the index on each connection") { begin(&$0, 3) },
        RuleCase(R.insteadOfCV, .behaves, "the index once more") {
            begin(&$0, 2)
        } unlike: {
            begin(&$0, 3)
        },
        RuleCase(R.insteadOfCV, .silent, "the index on each connection, minutes apart") {
            begin(&$0, 3, apart: 100)
        } unlike: {
            begin(&$0, 3)
        },
        RuleCase(
            R.readAgain, .breaks, "the index after each 405 of Tapedeck",
            also: ["simperium.change.diff-after-405"]
        ) {
            let socket = $0.synced()
            $0.rule("command:c sender:client => error 405", at: 1, within: 20)
            for number in 1...2 {
                let at = Double(number) * 5
                $0.client(
                    socket, SessionScript.sent(ccid: "aa0\(number)", to: "y\(number)"), at: at)
                $0.client(socket, "0:i:1:::100", at: at + 0.5)
                $0.server(socket, page, at: at + 0.6)
            }
        },
        RuleCase(R.insteadOfCV, .behaves, "the changes after a reconnect") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.frame(socket, .server, [0x03, 0xE9], opcode: 8, at: 70)
            $0.close(socket, at: 70.2, by: .server)
            $0.resumed(at: 73, cv: "cv1")
        },
        RuleCase(R.insteadOfCV, .silent, "the client stopped and starts with nothing") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.close(socket, at: 5)
            $0.synced(
                at: 8, page: #"0:i:{"current":"cv1","index":[{"id":"a","v":2,"d":{"t":"y"}}]}"#)
        },
        RuleCase(R.insteadOfCV, .silent, "the cv was lost to the client before") {
            let socket = $0.synced()
            $0.editAndTell(socket, at: 1)
            $0.client(socket, "0:cv:cv1", at: 2)
            $0.server(socket, "0:cv:?", at: 2.1)
            $0.frame(socket, .server, [0x03, 0xE9], opcode: 8, at: 2.2)
            $0.close(socket, at: 2.3, by: .server)
            $0.synced(
                at: 8, page: #"0:i:{"current":"cv1","index":[{"id":"a","v":2,"d":{"t":"y"}}]}"#)
        },
    ]
}
