import Wire

@testable import Diagnosis

/// Cases of heartbeats that a client sends too late.
extension OpeningCases {
    static let heartbeats: [RuleCase] = [
        RuleCase(SimperiumSessionRules.heartbeatLate, .breaks, "a heartbeat after 30 s of nothing")
        {
            let socket = $0.synced()
            $0.beat(socket, at: 32)
        },
        RuleCase(SimperiumSessionRules.heartbeatLate, .behaves, "a heartbeat after 20 s of nothing")
        {
            let socket = $0.synced()
            $0.beat(socket, at: 20)
        } unlike: {
            let socket = $0.synced()
            $0.beat(socket, at: 32)
        },
        RuleCase(SimperiumSessionRules.heartbeatLate, .silent, "a fault took what the server sent")
        {
            let socket = $0.synced()
            $0.lose(socket, .server, SessionScript.reported(by: "x"), at: 10)
            $0.beat(socket, at: 32)
        } unlike: {
            let socket = $0.synced()
            $0.beat(socket, at: 32)
        },
    ]
}
