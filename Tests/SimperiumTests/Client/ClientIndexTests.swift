import Simperium
import Testing
import Wire

/// "First Sync", "Requesting Objects" and the index as real servers send it.
@Suite struct ClientIndexTests {
    private static let sparse = {
        var settings = Playbook.usual
        settings.pagesHoldData = false
        settings.pageSize = 2
        settings.maxEntityRequests = 2
        return settings
    }()

    private static let start = """
        open
        \(Playbook.opening)
        < 0:auth:user@example.com

        """

    @Test func `pages to the end and asks for each entity, no more than allowed at once`() {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i::::2
                < 0:i:{"current":"c9","index":[{"id":"a","v":2},{"id":"b.c","v":1}],"mark":"m"}
                > 0:i::m::2
                > 0:e:a.2
                > 0:e:b.c.1
                < 0:i:{"current":"c10","index":[{"id":"d","v":3}]}
                edit z {"q":1}
                < 0:e:a.2\n{"data":{"x":1}}
                ! changed a nil {"x":1} index
                > 0:e:d.3
                < 0:e:b.c.1\n{"data":{"x":2}}
                ! changed b.c nil {"x":2} index
                < 0:e:d.3\n?
                > 0:c:{"id":"z","o":"M","v":{"q":{"o":"+","v":1}},"ccid":"#1"}
                close
                open
                \#(Playbook.opening)
                < 0:auth:user@example.com
                // The first page's change version, so that nothing is missed.
                > 0:cv:c9
                """#, settings: Self.sparse)
        #expect(failures == [])
    }

    @Test func `asks for what a page with data lacks`() {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:{"current":"c1","index":[{"id":"a","v":1,"d":{"x":1}},{"id":"b","v":4}]}
                ! changed a nil {"x":1} index
                > 0:e:b.4
                edit a {"x":2}
                < 0:e:b.4\n{"data":{"y":1}}
                ! changed b nil {"y":1} index
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"r","v":2}},"ccid":"#1","sv":1}
                """#)
        #expect(failures == [])
    }

    @Test(arguments: [#""current":"","#, "", #""current":null,"#])
    func `is in sync with an empty bucket, whatever it calls its change version`(current: String) {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:{\#(current)"index":[]}
                edit b {"y":1}
                > 0:c:{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ccid":"#1"}
                close
                open
                \#(Playbook.opening)
                < 0:auth:user@example.com
                > 0:i:1:::100
                """#)
        #expect(failures == [])
    }

    @Test func `takes a number for a change version`() {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:{"current":17,"index":[]}
                close
                open
                \#(Playbook.opening)
                < 0:auth:user@example.com
                > 0:cv:17
                """#)
        #expect(failures == [])
    }

    @Test func `begins anew at an unknown mark, but not for ever`() {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:{"current":"c1","index":[],"mark":"m"}
                > 0:i:1:m::100
                < 0:i:?
                > 0:i:1:::100
                < 0:i:?
                > 0:i:1:::100
                < 0:i:?
                ! reconnect
                """#)
        #expect(failures == [])
    }

    @Test func `does not follow a mark in circles`() {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:{"current":"c1","index":[],"mark":"m"}
                > 0:i:1:m::100
                < 0:i:{"current":"c1","index":[],"mark":"m"}
                ! reconnect
                """#)
        #expect(failures == [])
    }

    @Test func `takes no page for the whole index where one came twice`() {
        let page = #"{"current":"c1","index":[{"id":"a","v":1,"d":{"x":1}}],"mark":"m"}"#
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:\#(page)
                ! changed a nil {"x":1} index
                > 0:i:1:m::100
                < 0:i:\#(page)
                ! reconnect
                // The answer to what was asked; a run that began anew would take it for all there is.
                < 0:i:{"current":"c1","index":[{"id":"b","v":1,"d":{"y":1}}]}
                close
                \#(Self.start)> 0:i:1:::100
                < 0:i:\#(page)
                > 0:i:1:m::100
                < 0:i:{"current":"c1","index":[{"id":"b","v":1,"d":{"y":1}}]}
                ! changed b nil {"y":1} index
                """#)
        #expect(failures == [])
    }

    @Test func `keeps changes that come while the index is read`() {
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i:1:::100
                < 0:i:{"current":"c1","index":[{"id":"a","v":1,"d":{"x":1}}],"mark":"m"}
                ! changed a nil {"x":1} index
                > 0:i:1:m::100
                < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["f"]}]
                ! changed b nil {"y":1} remote
                < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"r","v":2}},"sv":1,"ev":2,"cv":"c3","ccids":["g"]}]
                ! changed b {"y":1} {"y":2} remote
                < 0:c:[{"id":"a","o":"-","ev":2,"cv":"c4","ccids":["h"]}]
                ! removed a remote
                < 0:i:{"current":"c2","index":[{"id":"b","v":1,"d":{"y":1}},{"id":"a","v":1,"d":{"x":1}}]}
                close
                open
                \#(Playbook.opening)
                < 0:auth:user@example.com
                > 0:cv:c4
                """#)
        #expect(failures == [])
    }

    @Test(arguments: ["cv:?", "c:?"])
    func `reads the index again when its change version is gone, and local work survives`(
        answer: String
    ) {
        let failures = Playbook.play(
            Playbook.synced + #"""
                close
                edit new {"n":1}
                edit a {"x":"abc"}
                open
                \#(Playbook.opening)
                < 0:auth:user@example.com
                > 0:cv:c1
                < 0:\#(answer)
                > 0:i:1:::100
                < 0:i:{"current":"c8","index":[{"id":"a","v":5,"d":{"x":"0ab"}}]}
                ! changed a {"x":"abc"} {"x":"0abc"} index
                > 0:c:{"id":"new","o":"M","v":{"n":{"o":"+","v":1}},"ccid":"#1"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=3\t+c"}},"ccid":"#2","sv":5}
                """#)
        #expect(failures == [])
    }

    @Test func `removes what the index does not name any more, unless it was worked on`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                < 0:c:[{"id":"b","o":"M","v":{"y":{"o":"+","v":1}},"ev":1,"cv":"c2","ccids":["f"]}]
                ! changed b nil {"y":1} remote
                close
                edit a {"x":"abc"}
                open
                \#(Playbook.opening)
                < 0:auth:user@example.com
                > 0:cv:c2
                < 0:cv:?
                > 0:i:1:::100
                < 0:i:{"current":"c9","index":[]}
                ! removed b index
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"+","v":"abc"}},"ccid":"#1"}
                """#)
        #expect(failures == [])
    }

    @Test func `asks for another socket when an answer is missing`() {
        let failures = Playbook.play(
            Self.start + """
                > 0:i:1:::100
                tick 59s
                tick 1s
                ! reconnect
                """)
        #expect(failures == [])
    }

    @Test func `keeps what changes brought over an older answer to e, while reading the index`() {
        var settings = Playbook.usual
        settings.pagesHoldData = false
        let failures = Playbook.play(
            #"""
            open
            \#(Playbook.opening)
            < 0:auth:user@example.com
            > 0:i::::100
            < 0:i:{"current":"c1","mark":"m","index":[{"id":"a","v":1}]}
            > 0:i::m::100
            > 0:e:a.1
            < 0:e:a.1\n{"data":{"x":1}}
            ! changed a nil {"x":1} index
            < 0:c:[{"id":"a","o":"M","sv":2,"ev":3,"cv":"c3","v":{"x":{"o":"r","v":3}},"ccids":["o"]}]
            > 0:e:a.3
            < 0:c:[{"id":"a","o":"M","sv":1,"ev":3,"cv":"c3","v":{"x":{"o":"r","v":3}},"ccids":["o"]}]
            ! changed a {"x":1} {"x":3} remote
            < 0:c:[{"id":"a","o":"M","sv":3,"ev":4,"cv":"c4","v":{"x":{"o":"r","v":4}},"ccids":["p"]}]
            ! changed a {"x":3} {"x":4} remote
            < 0:e:a.3\n{"data":{"x":3}}
            < 0:i:{"current":"c1","index":[]}
            """#, settings: settings)
        #expect(failures == [])
    }

    @Test func `brings no object back with data that were asked for before it was removed`() {
        var settings = Playbook.usual
        settings.pagesHoldData = false
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i::::100
                < 0:i:{"current":"c1","index":[{"id":"a","v":1},{"id":"b","v":1}]}
                > 0:e:a.1
                > 0:e:b.1
                < 0:c:[{"id":"b","o":"-","sv":1,"ev":2,"cv":"c2","ccids":["g"]}]
                < 0:e:a.1\n{"data":{"x":1}}
                ! changed a nil {"x":1} index
                < 0:e:b.1\n{"data":{"x":2}}
                """#, settings: settings)
        #expect(failures == [])
    }

    @Test func `wants nothing any more that the index does not name`() {
        var settings = Playbook.usual
        settings.pagesHoldData = false
        let failures = Playbook.play(
            Self.start + #"""
                > 0:i::::100
                < 0:i:{"current":"c1","index":[{"id":"e","v":2}]}
                > 0:e:e.2
                close
                \#(Self.start)> 0:i::::100
                < 0:i:{"current":"c3","index":[]}
                edit a {"x":1}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"+","v":1}},"ccid":"#1"}
                """#, settings: settings)
        #expect(failures == [])
    }

    @Test func `takes no page of an earlier run of the index for one of the new run`() {
        let failures = Playbook.play(
            Playbook.synced + #"""
                edit b {"x":2}
                > 0:c:{"id":"b","o":"M","v":{"x":{"o":"+","v":2}},"ccid":"#1"}
                edit c {"x":3}
                > 0:c:{"id":"c","o":"M","v":{"x":{"o":"+","v":3}},"ccid":"#2"}
                < 0:c:[{"id":"b","error":409,"ccids":["#1"]}]
                > 0:cv:c1
                < 0:cv:?
                > 0:i:1:::100
                < 0:c:[{"id":"c","error":409,"ccids":["#2"]}]
                > 0:i:1:::100
                < 0:i:{"current":"c2","mark":"m","index":[{"id":"a","v":1,"d":{"x":"ab"}}]}
                < 0:i:{"current":"c2","mark":"m","index":[{"id":"a","v":1,"d":{"x":"ab"}}]}
                > 0:i:1:m::100
                < 0:i:{"current":"c2","index":[{"id":"b","v":1,"d":{"x":2}},{"id":"c","v":1,"d":{"x":3}}]}
                edit a {"x":"a"}
                > 0:c:{"id":"a","o":"M","v":{"x":{"o":"d","v":"=1\t-1"}},"ccid":"#3","sv":1}
                """#)
        #expect(failures == [])
    }
}
