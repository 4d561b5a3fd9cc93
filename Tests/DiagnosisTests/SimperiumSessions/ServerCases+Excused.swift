import Wire

@testable import Diagnosis

/// What a server does because of a mistake of its client.
extension ServerCases {
    static let excused: [RuleCase] = [
        RuleCase(
            R.unasked, .behaves, "a page that was requested before auth",
            also: ["simperium.auth.command-before-answer"]
        ) {
            $0.hasty(isEarly: true)
        } unlike: {
            $0.hasty(isEarly: false)
        },
        RuleCase(
            R.unasked, .behaves, "answers to what followed a request that is not understood",
            also: ["simperium.entity.malformed", "simperium.server.not-understood"]
        ) {
            let socket = $0.synced()
            $0.client(socket, "0:e:a", at: 1)
            $0.client(socket, "0:e:a.1", at: 1.01)
            $0.server(socket, "0:?", at: 1.1)
            $0.server(socket, "0:e:a.1\n{\"data\":{\"t\":\"x\"}}", at: 1.11)
        } unlike: {
            let socket = $0.synced()
            $0.server(socket, "0:e:a.1\n{\"data\":{\"t\":\"x\"}}", at: 1.11)
        },
        RuleCase(
            R.ackWithoutCcids, .behaves, "an error for a change without ccid",
            also: ["simperium.change.missing-field"]
        ) {
            let socket = $0.synced()
            $0.client(socket, #"0:c:{"id":"a","o":"-"}"#, at: 1)
            $0.server(socket, #"0:c:[{"clientid":"c-1","id":"a","error":400}]"#, at: 1.1)
        } unlike: {
            let socket = $0.synced()
            $0.client(socket, #"0:c:{"id":"a","o":"-","ccid":"a1"}"#, at: 1)
            $0.server(socket, #"0:c:[{"clientid":"c-1","id":"a","error":400}]"#, at: 1.1)
        },
    ]
}
