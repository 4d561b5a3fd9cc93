import Simperium
import Testing
import Wire

/// "Handling Change Errors", code by code, and what real clients do wrong about each.
@Suite struct ClientRefusalTests {
    private static let first =
        ##"> 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}"##

    /// Plays what follows a change of `a` to `{"x":"abc"}` with a refusal.
    private func play(_ code: Int, _ text: String) -> [String] {
        Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                < 0:c:[{"id":"a","error":\#(code),"ccids":["#1"],"clientid":"client"}]

                """# + text)
    }

    @Test(arguments: [400, 403, 499]) func `drops a change, tells, and sends the next edit`(
        code: Int
    ) {
        let failures = play(
            code,
            #"""
            ! rejected a \#(code)
            tick 50s
            edit b {"y":1}
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
            edit a {"x":"abd"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+d"}},"ccid":"#3","sv":1}
            """#)
        #expect(failures == [])
    }

    @Test func `asks for a token after 401 and then sends the same again`() {
        let failures = play(
            401,
            #"""
            ! needs token 401
            edit b {"y":1}
            tick 5s
            token t
            token u
            \#(Playbook.opening("u"))
            < 0:auth:user@example.com
            > 0:cv:c1
            < 0:c:[]
            \#(Self.first)
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
            < 0:c:[{"id":"a","error":401,"ccids":["#1"]}]
            ! rejected a 401
            """#)
        #expect(failures == [])
    }

    @Test func `does not send again what was refused for a while and accepted after all`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
                < 0:c:[{"id":"a","error":500,"ccids":["#1"]}]
                // On a version that it does not have, so that it has to ask.
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":4,"ev":5,"cv":"c5","ccids":["#1"]}]
                > 0:e:a.5
                tick 3s
                < 0:e:a.5\n{"data":{"x":"abc"}}
                """#)
        #expect(failures == [])
    }

    @Test func `takes nothing more of an answer that ends the session`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
                < 0:c:[{"id":"a","error":401,"ccids":["#1"]},{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["other"]}]
                ! needs token 401
                """#)
        #expect(failures == [])
    }

    @Test func `asks for changes once more where it has to while it waits for an answer`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
                < 0:c:[{"id":"a","error":409,"ccids":["#1"]}]
                > 0:cv:c1
                < 0:c:[{"id":"b","error":409,"ccids":["#2"]}]
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["#1"]}]
                > 0:cv:c2
                < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c3","ccids":["#2"]}]
                """#)
        #expect(failures == [])
    }

    @Test func `sends the whole object after 404, once it is gone, with no sv`() {
        let failures = play(
            404,
            #"""
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"+","v":"abc"}},"ccid":"#2","d":{"x":"abc"}}
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"+","v":"abc"}},"ev":2,"cv":"c2","ccids":["#2"]}]
            edit a {"x":"abcd"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+d"}},"ccid":"#3","sv":2}
            """#)
        #expect(failures == [])
    }

    @Test func `does not remove again what is gone`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                delete a
                > 0:c:{"id":"a","o":"-","ccid":"#1"}
                < 0:c:[{"id":"a","error":404,"ccids":["#1"]}]
                edit a {"x":1}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"+","v":1}},"ccid":"#2"}
                """#)
        #expect(failures == [])
    }

    @Test func `loads the object after 405 and sends it whole, at its version, but not for ever`() {
        let again = { (ccid: Int) in
            #"""
            < 0:e:a.1\n{"data":{"x":"ab"}}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#\#(ccid)","sv":1,"d":{"x":"abc"}}
            < 0:c:[{"id":"a","error":405,"ccids":["#\#(ccid)"]}]

            """#
        }
        let failures = play(
            405,
            """
            > 0:e:a.1
            \(again(2))> 0:e:a.1
            \(again(3))> 0:e:a.1
            \(again(4))! rejected a 405
            """)
        #expect(failures == [])
    }

    @Test func `learns the version of an object that was there already`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
                < 0:c:[{"id":"b","error":405,"ccids":["#1"]}]
                > 0:cv:c1
                < 0:c:[{"id":"b","o":"M","v":{"z":{"o":"+","v":2}},"ev":1,"cv":"c2","ccids":["f"]}]
                ! changed b {"y":1} {"z":2,"y":1} remote
                > 0:e:b.1
                < 0:e:b.1\n{"data":{"z":2}}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2","sv":1,"d":{"z":2,"y":1}}
                """#)
        #expect(failures == [])
    }

    @Test func `stops sending after 409 and finds its change in the answer to cv`() {
        let failures = play(
            409,
            #"""
            > 0:cv:c1
            edit a {"x":"abcd"}
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["#1"]}]
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+d"}},"ccid":"#2","sv":2}
            """#)
        #expect(failures == [])
    }

    @Test func `loads the object when the answer to cv does not have the change`() {
        let failures = play(
            409,
            #"""
            > 0:cv:c1
            edit a {"x":"abcd"}
            < 0:c:[]
            > 0:e:a.2
            < 0:e:a.2\n{"data":{"x":"abc"}}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+d"}},"ccid":"#2","sv":2}
            """#)
        #expect(failures == [])
    }

    @Test func `takes what the server has after 412`() {
        let failures = play(
            412,
            #"""
            ! changed a {"x":"abc"} {"x":"ab"} refused
            tick 5s
            edit a {"x":"abd"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+d"}},"ccid":"#2","sv":1}
            """#)
        #expect(failures == [])
    }

    @Test func `holds an object that is too large until it gets smaller, through a restart`() {
        let failures = play(
            413,
            #"""
            ! rejected a 413
            edit a {"x":"abcdefg"}
            edit a {"x":"xyz"}
            edit b {"y":1}
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
            < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["#2"]}]
            close
            restart
            open
            \#(Playbook.opening)
            < 0:auth:user@example.com
            > 0:cv:c2
            < 0:c:[]
            edit a {"x":"b"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"-1\t=1"}},"ccid":"#3","sv":1}
            """#)
        #expect(failures == [])
    }

    @Test(arguments: [440, 417]) func `sends the whole object after an invalid diff`(code: Int) {
        let failures = play(
            code,
            #"""
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#2","sv":1,"d":{"x":"abc"}}
            < 0:c:[{"id":"a","error":440,"ccids":["#2"]}]
            ! rejected a 440
            tick 50s
            edit a {"x":"ab"}
            edit a {"x":"abcd"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+cd"}},"ccid":"#3","sv":1}
            """#)
        #expect(failures == [])
    }

    @Test(arguments: [500, 503]) func `sends the same again after pauses that grow`(code: Int) {
        let failures = play(
            code,
            #"""
            edit a {"x":"abcd"}
            tick 1s
            \#(Self.first)
            < 0:c:[{"id":"a","error":\#(code),"ccids":["#1"]}]
            tick 0s
            tick 2s
            \#(Self.first)
            < 0:c:[{"id":"a","error":\#(code),"ccids":["#1"]}]
            tick 1s
            tick 3s
            \#(Self.first)
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["#1"]}]
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+d"}},"ccid":"#2","sv":2}
            """#)
        #expect(failures == [])
    }

    @Test func `ignores an error for a change of somebody else`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                < 0:c:[{"id":"a","error":"400","ccids":["f"]}]
                < 0:c:[{"id":"b","error":400,"ccids":["#1"]}]
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["#1"]}]
                """#)
        #expect(failures == [])
    }

    @Test func `reads a code that is a string`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                < 0:c:[{"id":"a","error":"400","ccids":["#1"]}]
                ! rejected a 400
                """#)
        #expect(failures == [])
    }

    @Test func `loads the object when an acknowledgement has no version`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                < 0:c:[{"id":"a","o":"M","v":{},"ccids":["#1"]}]
                > 0:cv:c1
                < 0:c:[]
                > 0:e:a.2
                < 0:e:a.2\n{"data":{"x":"abc"}}
                """#)
        #expect(failures == [])
    }
}
