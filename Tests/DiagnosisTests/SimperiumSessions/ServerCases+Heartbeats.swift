import Wire

@testable import Diagnosis

/// Cases of heartbeats that a server does not answer.
extension ServerCases {
    /// A client that sends a heartbeat after 20 s and leaves without an answer.
    private static func leave(
        _ script: inout SessionScript, at start: Double = 0, until end: Double
    ) {
        let socket = script.synced(at: start)
        script.client(socket, "h:0", at: start + 20)
        script.close(socket, at: end)
    }

    static let heartbeats: [RuleCase] = [
        RuleCase(R.heartbeatUnanswered, .breaks, "h without answer on a busy connection") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            for number in 1...6 {
                $0.server(
                    socket,
                    SessionScript.reported(
                        sv: number, ccid: "bb0\(number)", cv: "cv\(number)", by: "x"),
                    at: 20 + Double(number) * 8)
            }
        },
        RuleCase(R.heartbeatUnanswered, .breaks, "a later request is answered") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.editAndTell(socket, at: 25)
        },
        RuleCase(R.heartbeatUnanswered, .behaves, "an earlier request is answered before") {
            let socket = $0.synced()
            $0.client(socket, SessionScript.sent(), at: 19)
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, SessionScript.reported(), at: 24)
            $0.server(socket, "h:1", at: 25)
        },
        RuleCase(R.heartbeatUnanswered, .breaks, "two clients leave without any answer") {
            leave(&$0, until: 40)
            leave(&$0, at: 100, until: 140)
        },
        RuleCase(R.heartbeatUnanswered, .behaves, "two clients leave at once") {
            leave(&$0, until: 28)
            leave(&$0, at: 100, until: 128)
        },
        RuleCase(R.heartbeatUnanswered, .silent, "the server has answered heartbeats before") {
            let socket = $0.synced()
            $0.beat(socket, at: 5)
            $0.client(socket, "h:2", at: 20)
            $0.close(socket, at: 40)
            leave(&$0, at: 100, until: 140)
        } unlike: {
            leave(&$0, until: 40)
            leave(&$0, at: 100, until: 140)
        },
        RuleCase(R.heartbeatLate, .breaks, "h with an answer after 8 s") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, "h:1", at: 28)
        },
        RuleCase(R.heartbeatLate, .behaves, "h with an answer after 1 s") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, "h:1", at: 21)
        } unlike: {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, "h:1", at: 28)
        },
        RuleCase(R.heartbeatLate, .silent, "a fault took the first answer") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.lose(socket, .server, "h:1", at: 20.1)
            $0.server(socket, "h:1", at: 28)
        } unlike: {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, "h:1", at: 28)
        },
        RuleCase(
            R.heartbeatUnanswered, .behaves, "h with a late answer",
            also: ["simperium.server.heartbeat-late"]
        ) {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, SessionScript.reported(by: "x"), at: 30)
            $0.server(socket, "h:1", at: 45)
        },
        RuleCase(R.heartbeatUnanswered, .silent, "a fault took the answer") {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.lose(socket, .server, "h:1", at: 20.1)
            $0.server(socket, SessionScript.reported(by: "x"), at: 60)
        } unlike: {
            let socket = $0.synced()
            $0.client(socket, "h:0", at: 20)
            $0.server(socket, SessionScript.reported(by: "x"), at: 60)
        },
    ]
}
