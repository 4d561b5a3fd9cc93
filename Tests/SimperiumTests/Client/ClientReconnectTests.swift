import Notation
import Simperium
import Testing
import Wire

/// "Connecting with Existing Index", and what was sent before.
@Suite struct ClientReconnectTests {
    private static let first =
        ##"> 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}"##
    private static let opening = """
        open
        \(Playbook.opening)
        < 0:auth:user@example.com

        """

    @Test(arguments: ["", "restart\n"])
    func `asks for changes, and sends what was not answered only after them, the same`(
        restart: String
    ) {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                edit a {"x":"abcd"}
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
                close
                \#(restart)\#(Self.opening)> 0:cv:c1
                edit c {"z":1}
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"+0\t=2"}},"sv":1,"ev":2,"cv":"c2","ccids":["f"]}]
                ! changed a {"x":"abcd"} {"x":"0abcd"} remote
                // That may have been another client's change instead of the answer.
                > 0:cv:c2
                < 0:c:[]
                \#(Self.first)
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
                > 0:c:{"id":"c","o":"M","v":{"z":{"o":"+","v":1}},"ccid":"#3"}
                """#)
        #expect(failures == [])
    }

    @Test func `saves the change versions of an answer as it applies the changes`() {
        let two =
            #"{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["f"]},"#
            + #"{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+d"}},"sv":2,"ev":3,"cv":"c3","ccids":["g"]}"#
        for restart in ["", "restart\n"] {
            let failures = Playbook.play(
                Playbook.synced + """
                    close
                    \(Self.opening)> 0:cv:c1
                    < 0:c:[\(two)]
                    ! changed a {"x":"ab"} {"x":"abc"} remote
                    ! changed a {"x":"abc"} {"x":"abcd"} remote
                    > 0:cv:c3
                    close
                    \(restart)\(Self.opening)> 0:cv:c3
                    < 0:c:[]
                    """)
            #expect(failures == [])
        }
    }

    @Test func `saves that of a single change once it shows that it was the answer`() {
        let one =
            #"{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["f"]}"#
        let failures = Playbook.play(
            Playbook.synced + """
                close
                \(Self.opening)> 0:cv:c1
                < 0:c:[\(one)]
                ! changed a {"x":"ab"} {"x":"abc"} remote
                > 0:cv:c2
                close
                // That may have been what another client did just then, with others before it.
                \(Self.opening)> 0:cv:c1
                < 0:c:[\(one)]
                > 0:cv:c2
                close
                // It came again, as only an answer does.
                \(Self.opening)> 0:cv:c2
                < 0:c:[]
                """)
        #expect(failures == [])
    }

    @Test func `lets an object go that others removed before its acknowledgement comes`() {
        let removal = #"{"id":"b","o":"-","sv":1,"ev":2,"cv":"c3","ccids":["g"]}"#
        let made =
            ##"{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["#1"]}"##
        let failures = Playbook.play(
            Playbook.synced + ##"""
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
                close
                \##(Self.opening)> 0:cv:c1
                // It was made before the connection ended, and removed after another began.
                < 0:c:[\##(removal)]
                > 0:cv:c3
                < 0:c:[\##(made),\##(removal)]
                ! removed b acknowledged
                < 0:c:[]
                """##)
        #expect(failures == [])
    }

    @Test func `misses nothing when another client's change comes before the answer`() {
        let foreign =
            #"{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c3","ccids":["g"]}"#
        let missed =
            #"{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["f"]}"#
        let failures = Playbook.play(
            Playbook.synced + #"""
                close
                \#(Self.opening)> 0:cv:c1
                < 0:c:[\#(foreign)]
                ! changed b nil {"y":1} remote
                > 0:cv:c3
                close
                \#(Self.opening)> 0:cv:c1
                < 0:c:[\#(foreign)]
                > 0:cv:c3
                < 0:c:[\#(missed),\#(foreign)]
                ! changed a {"x":"ab"} {"x":"abc"} remote
                < 0:c:[]
                close
                \#(Self.opening)> 0:cv:c3
                """#)
        #expect(failures == [])
    }

    @Test func `does not send again what the answer to cv acknowledges`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                close
                \#(Self.opening)> 0:cv:c1
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["#1"]}]
                > 0:cv:c2
                < 0:c:[]
                close
                \#(Self.opening)> 0:cv:c2
                < 0:c:[]
                """#)
        #expect(failures == [])
    }

    @Test func `survives an index that holds its unanswered change`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"Y"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"-2\t+Y"}},"ccid":"#1","sv":1}
                close
                \#(Self.opening)> 0:cv:c1
                < 0:cv:?
                > 0:i:1:::100
                < 0:i:{"current":"c7","index":[{"id":"a","v":2,"d":{"x":"Y"}}]}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"-2\t+Y"}},"ccid":"#1","sv":1}
                < 0:c:[{"id":"a","error":409,"ccids":["#1"]}]
                > 0:cv:c7
                < 0:c:[]
                > 0:e:a.3
                < 0:e:a.3\n?
                // It may be purged as well as not there.
                > 0:i:1:::100
                < 0:i:{"current":"c7","index":[{"id":"a","v":2,"d":{"x":"Y"}}]}
                edit a {"x":"YZ"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=1\t+Z"}},"ccid":"#2","sv":2}
                """#)
        #expect(failures == [])
    }

    @Test func `asks for another socket when an acknowledgement is missing`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                tick 30s
                < 0:c:[]
                tick 29s
                tick 1s
                ! reconnect
                close
                \#(Self.opening)> 0:cv:c1
                < 0:c:[]
                \#(Self.first)
                """#)
        #expect(failures == [])
    }

    @Test func `begins the index anew when the connection ends in the middle of it`() {
        let failures = Playbook.play(
            #"""
            \#(Self.opening)> 0:i:1:::100
            < 0:i:{"current":"c1","index":[{"id":"a","v":1,"d":{"x":"ab"}}],"mark":"m"}
            ! changed a nil {"x":"ab"} index
            > 0:i:1:m::100
            close
            restart
            \#(Self.opening)> 0:i:1:::100
            < 0:i:{"current":"c2","index":[{"id":"a","v":1}]}
            edit a {"x":"abc"}
            \#(Self.first)
            """#)
        #expect(failures == [])
    }

    @Test func `saves before it sends`() {
        var book = Playbook()
        book.run(Playbook.synced)
        var commands: [ClientBucket.Command] = []
        book.bucket.handle(.removed(key: "a"), at: .zero, into: &commands)
        guard case .save(let saving) = commands.first else {
            Issue.record("\(commands)")
            return
        }
        #expect(saving.objects[ExactText("a")]??.sent?.change.operation == .remove)
    }

    @Test func `empties a bucket with one change, after the others, and keeps what came later`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit a {"x":"abc"}
                \#(Self.first)
                empty
                edit b {"y":1}
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["#1"]}]
                > 0:c:{"id":"notes","o":"EMPTY","ccid":"#2"}
                close
                restart
                \#(Self.opening)> 0:cv:c2
                < 0:c:[]
                > 0:c:{"id":"notes","o":"EMPTY","ccid":"#2"}
                < 0:c:[{"id":"notes","o":"EMPTY","cv":"c3","ccids":["#2"]}]
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#3"}
                """#)
        #expect(failures == [])
    }

    @Test func `loses all but its own work when another client empties the bucket`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
                < 0:c:[{"id":"notes","o":"EMPTY","cv":"c3","ccids":["f"]}]
                ! removed a remote
                < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c4","ccids":["#1"]}]
                """#)
        #expect(failures == [])
    }

    @Test func `has its objects back when it may not empty the bucket`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                empty
                > 0:c:{"id":"notes","o":"EMPTY","ccid":"#1"}
                < 0:c:[{"id":"notes","error":400,"ccids":["#1"]}]
                ! changed a nil {"x":"ab"} refused
                ! rejected notes 400
                """#)
        #expect(failures == [])
    }
}
