import Notation
import Simperium
import Testing
import Wire

/// "Receiving Remote Changes", "Reloading an object" and "Sending Local Changes".
@Suite struct ClientChangeTests {
    private func play(_ text: String) -> [String] { Playbook.play(Playbook.synced + text) }

    @Test func `remembers as many removals as it may`() {
        var settings = Playbook.usual
        settings.maxTombstones = 2
        var book = Playbook(settings)
        book.run(
            Playbook.synced + #"""
                < 0:c:[{"id":"p","o":"-","ev":3,"cv":"c2","ccids":["o1"]}]
                < 0:c:[{"id":"q","o":"-","ev":4,"cv":"c3","ccids":["o2"]}]
                < 0:c:[{"id":"r","o":"-","ev":5,"cv":"c4","ccids":["o3"]}]
                """#)
        #expect(book.failures == [])
        let removed = book.bucket.saved.objects.filter { $0.value.tombstone != nil }
        #expect(Set(removed.keys.map(\.string)) == ["q", "r"])
    }

    @Test func `does not do again what another client did as well`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                < 0:c:[{"id":"b","o":"M","v":{"x":{"o":"+","v":"ab"},"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["o1"]}]
                ! changed b nil {"x":"ab","y":1} remote
                edit b {"y":1,"x":"abc"}
                > 0:c:{"id":"b","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
                < 0:c:[{"id":"b","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c3","ccids":["o2"]}]
                ! changed b {"y":1,"x":"abc"} {"x":"abc","y":1} remote
                """#)
        #expect(failures == [])
    }

    @Test func `leaves an object removed when the version that was removed comes late`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"r","v":"q"}},"sv":7,"ev":2,"cv":"c2","ccids":["o1"]}]
                > 0:e:a.2
                < 0:c:[{"id":"a","o":"-","ev":2,"cv":"c3","ccids":["o2"]}]
                ! removed a remote
                < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"r","v":"q"}},"sv":5,"ev":4,"cv":"c4","ccids":["o3"]}]
                < 0:e:a.2\n{"data":{"x":"q"}}
                > 0:e:a.4
                < 0:e:a.4\n{"data":{"x":"z"}}
                ! changed a nil {"x":"z"} remote
                """#)
        #expect(failures == [])
    }

    /// Proves: S-57, S-60.
    @Test func `applies a change to its version and skips it the second time`() {
        let change =
            #"{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c2","ccids":["f"]}"#
        let failures = play(
            #"""
            < 0:c:[\#(change)]
            ! changed a {"x":"ab"} {"x":"abc"} remote
            < 0:c:[\#(change.replacing("c2", with: "c3"))]
            close
            open
            \#(Playbook.opening)
            < 0:auth:user@example.com
            > 0:cv:c3
            """#)
        #expect(failures == [])
    }

    /// Proves: S-56, S-61, S-63.
    @Test(
        arguments: [
            // The versions do not match, forward and for a created object.
            #"{"id":"a","o":"M","v":{"x":{"o":"r","v":1}},"sv":3,"ev":4,"cv":"c2","ccids":["f"]}"#,
            #"{"id":"a","o":"M","v":{"x":{"o":"+","v":1}},"ev":4,"cv":"c2","ccids":["f"]}"#,
            // It cannot be applied.
            #"{"id":"a","o":"M","v":{"x":{"o":"d","v":"=9"}},"sv":1,"ev":4,"cv":"c2","ccids":["f"]}"#,
            #"{"id":"a","o":"M","sv":1,"ev":4,"cv":"c2","ccids":["f"]}"#,
        ]) func `loads an object that a change cannot be applied to`(change: String)
    {
        let failures = play(
            #"""
            edit b {"y":1}
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
            < 0:c:[\#(change)]
            > 0:e:a.4
            edit a {"x":"abc"}
            < 0:e:a.4\n{"data":{"x":"0ab"}}
            ! changed a {"x":"abc"} {"x":"0abc"} remote
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+c"}},"ccid":"#2","sv":4}
            """#)
        #expect(failures == [])
    }

    @Test func `loads an object it does not have, and does so again after a lost connection`() {
        let failures = play(
            #"""
            < 0:c:[{"id":"n.e.w","o":"M","v":{"x":{"o":"r","v":1}},"sv":3,"ev":4,"cv":"c2","ccids":["f"]}]
            > 0:e:n.e.w.4
            close
            restart
            open
            \#(Playbook.opening)
            < 0:auth:user@example.com
            > 0:cv:c2
            < 0:c:[]
            > 0:e:n.e.w.4
            < 0:e:n.e.w.4\n{"data":{"x":1}}
            ! changed n.e.w nil {"x":1} remote
            """#)
        #expect(failures == [])
    }

    @Test func `reads the index once when a version cannot be had`() {
        let failures = play(
            #"""
            < 0:c:[{"id":"b","o":"M","v":{"x":{"o":"r","v":1}},"sv":3,"ev":4,"cv":"c2","ccids":["f"]}]
            > 0:e:b.4
            < 0:e:b.4\n?
            > 0:i:1:::100
            < 0:i:{"current":"c3","index":[{"id":"a","v":1,"d":{"x":"ab"}},{"id":"b","v":9,"d":{"x":7}}]}
            ! changed b nil {"x":7} index
            """#)
        #expect(failures == [])
    }

    @Test func `reads the index again for what the server says after it`() {
        let failures = play(
            #"""
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"r","v":1}},"sv":2,"ev":3,"cv":"c2","ccids":["f"]}]
            > 0:e:a.3
            < 0:e:a.3\n?
            > 0:i:1:::100
            < 0:i:{"current":"c2","index":[{"id":"a","v":2,"d":{"x":1}}]}
            ! changed a {"x":"ab"} {"x":1} index
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"r","v":2}},"sv":3,"ev":4,"cv":"c3","ccids":["g"]}]
            > 0:e:a.4
            < 0:e:a.4\n?
            > 0:i:1:::100
            < 0:i:{"current":"c3","index":[{"id":"a","v":3,"d":{"x":2}}]}
            ! changed a {"x":1} {"x":2} index
            """#)
        #expect(failures == [])
    }

    @Test func `asks for an object of which it knows a version that is too high`() {
        let failures = play(
            #"""
            // Created at 1, in truth.
            < 0:c:[{"id":"b","o":"M","v":{"x":{"o":"+","v":1}},"ev":2,"cv":"c2","ccids":["f"]}]
            ! changed b nil {"x":1} remote
            < 0:c:[{"id":"b","o":"M","v":{"x":{"o":"+","v":1}},"ev":2,"cv":"c2","ccids":["f"]}]
            < 0:c:[{"id":"b","o":"M","v":{"x":{"o":"r","v":2}},"sv":1,"ev":2,"cv":"c3","ccids":["g"]}]
            > 0:e:b.2
            < 0:e:b.2\n{"data":{"x":2}}
            ! changed b {"x":1} {"x":2} remote
            // And one that there is not at all.
            < 0:c:[{"id":"d","o":"M","v":{"x":{"o":"+","v":1}},"ev":9,"cv":"c4","ccids":["h"]}]
            ! changed d nil {"x":1} remote
            < 0:c:[{"id":"d","o":"-","ev":2,"cv":"c5","ccids":["k"]}]
            > 0:e:d.9
            < 0:e:d.9\n?
            > 0:i:1:::100
            < 0:i:{"current":"c5","index":[{"id":"a","v":1},{"id":"b","v":2}]}
            ! removed d index
            """#)
        #expect(failures == [])
    }

    @Test
    func `removes an object that was not worked on, and an older change stays without effect`() {
        let failures = play(
            #"""
            < 0:c:[{"id":"a","o":"-","ev":5,"cv":"c2","ccids":["f"]}]
            ! removed a remote
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"r","v":1}},"sv":3,"ev":4,"cv":"c2","ccids":["f"]}]
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"+","v":1}},"ev":6,"cv":"c3","ccids":["g"]}]
            ! changed a nil {"x":1} remote
            """#)
        #expect(failures == [])
    }

    @Test func `keeps an object that was worked on and creates it anew`() {
        let failures = play(
            #"""
            edit a {"x":"abc"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
            < 0:c:[{"id":"a","o":"-","ev":2,"cv":"c2","ccids":["f"]}]
            < 0:c:[{"id":"a","error":404,"ccids":["#1"]}]
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"+","v":"abc"}},"ccid":"#2","d":{"x":"abc"}}
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"+","v":"abc"}},"ev":3,"cv":"c3","ccids":["#2"]}]
            """#)
        #expect(failures == [])
    }

    /// Proves: S-65.
    @Test func `collapses edits while a change is on its way, and takes only its own for an ack`() {
        let failures = play(
            #"""
            edit a {"x":"abc"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
            edit a {"x":"abcd"}
            edit a {"x":"abcde"}
            < 0:c:[{"id":"b","o":"M","v":{},"ev":1,"cv":"c2","ccids":["f"]}]
            ! changed b nil {} remote
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"sv":1,"ev":2,"cv":"c3","ccids":["#1"]}]
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+de"}},"ccid":"#2","sv":2}
            """#)
        #expect(failures == [])
    }

    @Test func `carries later edits over the change as the server rebased it`() {
        let failures = play(
            #"""
            edit a {"x":"abc"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
            edit a {"x":"abcd"}
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"+0\t=2"}},"sv":1,"ev":2,"cv":"c2","ccids":["f"]}]
            ! changed a {"x":"abcd"} {"x":"0abcd"} remote
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+c"},"y":{"o":"+","v":1}},"sv":2,"ev":3,"cv":"c3","ccids":["#1"]}]
            ! changed a {"x":"0abcd"} {"x":"0abcd","y":1} acknowledged
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=4\t+d"}},"ccid":"#2","sv":3}
            """#)
        #expect(failures == [])
    }

    /// Proves: S-40.
    @Test func `takes several changes in one, its own among them`() {
        let failures = play(
            #"""
            edit a {"x":"abc"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=2\t+c"}},"ccid":"#1","sv":1}
            < 0:c:[{"id":"a","o":"M","v":{"x":{"o":"d","v":"+0\t=2\t+c"}},"sv":1,"ev":3,"cv":"c3","ccids":["f","#1"]}]
            ! changed a {"x":"abc"} {"x":"0abc"} acknowledged
            edit a {"x":"0abcd"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=4\t+d"}},"ccid":"#2","sv":3}
            """#)
        #expect(failures == [])
    }

    @Test func `sends nothing for an edit that changes nothing`() {
        let failures = play(
            """
            edit a {"x":"ab"}
            delete nothing
            edit a {"x":"b"}
            > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"-1\\t=1"}},"ccid":"#1","sv":1}
            """)
        #expect(failures == [])
    }

    @Test func `takes 1 and 1.0 for the same`() {
        let failures = play(
            #"""
            < 0:c:[{"id":"b","o":"M","v":{"n":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["f"]}]
            ! changed b nil {"n":1} remote
            edit b {"n":1.0}
            """#)
        #expect(failures == [])
    }

    @Test func `never sends an object that was removed before it could be sent`() {
        let failures = play(
            """
            close
            edit b {"y":1}
            delete b
            open
            \(Playbook.opening)
            < 0:auth:user@example.com
            > 0:cv:c1
            < 0:c:[]
            """)
        #expect(failures == [])
    }

    @Test func `removes a new object once it is acknowledged, and creates it anew after that`() {
        let failures = play(
            #"""
            edit b {"y":1}
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
            delete b
            < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["#1"]}]
            > 0:c:{"id":"b","o":"-","ccid":"#2"}
            edit b {"y":2}
            < 0:c:[{"id":"b","o":"-","ev":2,"cv":"c3","ccids":["#2"]}]
            > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":2}},"ccid":"#3"}
            < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":2}},"ev":3,"cv":"c4","ccids":["#3"]}]
            """#)
        #expect(failures == [])
    }

    @Test func `sends no more at once than allowed`() {
        var settings = Playbook.usual
        settings.maxInFlight = 1
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
                edit c {"y":1}
                < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["#1"]}]
                > 0:c:{"id":"c","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#2"}
                """#, settings: settings)
        #expect(failures == [])
    }

    @Test(arguments: ["a b", "a:b", "", "a/b"]) func `sends no key that is not allowed`(key: String)
    {
        var bucket = ClientBucket(settings: Playbook.usual, token: "t", seed: 1)
        var commands: [ClientBucket.Command] = []
        bucket.handle(
            .edited(key: key, data: .object(JSONObject())), at: .zero, into: &commands)
        #expect(
            commands == [.rejected(key: key, code: nil, reason: "the key is not allowed")])
    }

    @Test func `goes back to what the server has when told to`() {
        let failures = play(
            """
            close
            edit a {"x":"abc"}
            discard a
            ! changed a {"x":"abc"} {"x":"ab"} refused
            open
            \(Playbook.opening)
            < 0:auth:user@example.com
            > 0:cv:c1
            < 0:c:[]
            """)
        #expect(failures == [])
    }
}
