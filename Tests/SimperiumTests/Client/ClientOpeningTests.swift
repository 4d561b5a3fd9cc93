import Simperium
import Testing
import Wire

/// Diagnosis/Catalogue.md#r01, #r02, #r03, #r04, #r05, #r06 and what may be said on a channel that
/// is not open.
@Suite struct ClientOpeningTests {
    @Test func `says init first and nothing else before auth`() {
        let failures = Playbook.play(
            """
            edit b {"y":1}
            open
            \(Playbook.opening)
            edit b {"y":2}
            < 0:i:{"current":"c1","index":[]}
            < 0:c:[]
            tick 1s
            < 0:auth:user@example.com
            > 0:i:1:::100
            """)
        #expect(failures == [])
    }

    @Test(arguments: [400, 401, 500]) func `is dead after a refusal until another token comes`(
        code: Int
    ) {
        let failures = Playbook.play(
            """
            open
            \(Playbook.opening)
            < 0:auth:{"msg":"Token invalid","code":\(code)}
            ! needs token \(code)
            edit b {"y":1}
            < 0:i:{"current":"c1","index":[]}
            < 0:auth:user@example.com
            token t
            close
            open
            ! needs token nil
            token u
            \(Playbook.opening("u"))
            < 0:auth:user@example.com
            > 0:i:1:::100
            """)
        #expect(failures == [])
    }

    @Test func `takes auth:expired for a refusal and asks for one token only`() {
        let failures = Playbook.play(
            """
            open
            \(Playbook.opening)
            < 0:auth:expired
            ! needs token nil
            < 0:auth:{"msg":"Token invalid","code":401}
            < 0:c:[]
            token u
            \(Playbook.opening("u"))
            < 0:auth:user@example.com
            > 0:i:1:::100
            """)
        #expect(failures == [])
    }

    @Test func `takes the reason that follows auth:expired for that of the old token`() {
        let failures = Playbook.play(
            """
            open
            \(Playbook.opening)
            < 0:auth:expired
            ! needs token nil
            token u
            \(Playbook.opening("u"))
            < 0:auth:{"msg":"Token invalid","code":401}
            < 0:auth:user@example.com
            > 0:i:1:::100
            """)
        #expect(failures == [])
    }

    @Test func `takes a numeric user name for success`() {
        let failures = Playbook.play(
            """
            open
            \(Playbook.opening)
            < 0:auth:12345
            > 0:i:1:::100
            """)
        #expect(failures == [])
    }

    @Test func `waits for a token when it has none`() {
        let failures = Playbook.play(
            """
            open
            ! needs token nil
            token t
            \(Playbook.opening)
            """, token: nil)
        #expect(failures == [])
    }

    /// Proves: S-8.
    @Test func `puts its first request into the init where that is asked for`() {
        var settings = Playbook.usual
        settings.requestsInInit = true
        let failures = Playbook.play(
            """
            open
            \(Playbook.opening("t", command: "i:1:::100"))
            < 0:auth:user@example.com
            < 0:i:{"current":"c1","index":[]}
            close
            open
            \(Playbook.opening("t", command: "cv:c1"))
            < 0:auth:user@example.com
            < 0:c:[]
            edit b {"y":1}
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
            """, settings: settings)
        #expect(failures == [])
    }

    @Test func `ignores other channels and answers on its own only`() {
        let failures = Playbook.play(
            Playbook.synced + """
                < 1:c:[{"id":"a","o":"-","ev":2,"cv":"c2","ccids":["f"]}]
                < 1:index
                < h:3
                < 0:o:{"expose_namespace":false}
                < 0:?
                < ?
                """)
        #expect(failures == [])
    }

    /// Proves: S-69.
    @Test func `answers index with versions and pending changes`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
                < 0:index
                > 0:index:{"current":"c1","index":[{"id":"a","v":1}],"pending":[{"id":"a","sv":1,"ccid":"#1"}],"extra":{"bucketName":"notes","client":"tapedeck","version":"1.0","queued":0}}
                """#)
        #expect(failures == [])
    }

    /// Proves: S-71, S-72.
    @Test func `sends with log 2 what it does, and with log 1 only what is odd`() {
        func log(_ text: String) -> String { #"> log:{"log":"\#(text)","bucket":"notes"}"# }
        let failures = Playbook.play(
            Playbook.synced + """
                < log:1
                \(log("logging at level 1"))
                edit a {"x":"abd"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\\t+d"}},"ccid":"#1","sv":1}
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\\t+d"}},"ccids":["#1"],"sv":1,"ev":2,"cv":"c2"}]
                < log:2
                \(log("logging at level 2"))
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\\t+e"}},"ccids":["f"],"sv":2,"ev":3,"cv":"c3"}]
                \(log(#"change of \"a\" from version 2 to 3 at c3"#))
                \(log(#"\"a\" is at version 3, changed by another client"#))
                ! changed a {"x":"abd"} {"x":"abde"} remote
                < log:0
                """)
        #expect(failures == [])
    }

    @Test func `sends its log without a channel while asked to`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                < log:1
                > log:{"log":"logging at level 1","bucket":"notes"}
                < 0:c:[{"id":"a","error":440,"ccids":["f"]}]
                > log:{"log":"error 440 for a change that is not this client's","bucket":"notes"}
                < log:0
                < 0:c:[{"id":"a","error":440,"ccids":["f"]}]
                """#)
        #expect(failures == [])
    }
}
