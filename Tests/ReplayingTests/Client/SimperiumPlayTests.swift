import Replaying
import Testing
import Wire

/// A play whose server is a list of messages.
struct PlayBook {
    var play: SimperiumPlay
    var now = 100.0
    let names: PlayedNames

    init(
        _ lines: [String], sockets: [RecordedSocket] = [],
        settings: SimperiumPlay.Settings = .init()
    ) {
        let script = Script(lines)
        names = PlayedNames(seed: 1, isVerbatim: settings.isVerbatim)
        let texts = script.texts
        play = SimperiumPlay(
            script.commands, sockets: sockets, settings: settings, names: names.names
        ) { texts[$0] }
    }

    /// What is done about an event: `1> text`, `close 1`, `finished 1`.
    mutating func on(_ event: SimperiumPlayEvent, after seconds: Double = 0) -> [String] {
        now += seconds
        var output: [SimperiumPlayCommand] = []
        play.handle(event, at: second(now), into: &output)
        return output.compactMap { command in
            switch command {
            case .send(let id, let text): "\(id)> \(string(text))"
            case .close(let id): "close \(id)"
            case .finished(let id): "finished \(id)"
            case .askTurn, .came, .setTimer: nil
            }
        }
    }

    mutating func open(_ socket: Int64 = 1) -> [String] { on(.opened(ConnectionID(socket))) }

    mutating func receive(_ text: String, _ socket: Int64 = 1) -> [String] {
        on(.received(ConnectionID(socket), bytes(text)))
    }

    func deviations(_ socket: Int64 = 1) -> [String] {
        play.played(ConnectionID(socket))?.deviations.flatMap { deviation in
            deviation.differences.items.map { "\(deviation.command?.rawValue ?? 0) \($0)" }
        } ?? []
    }

    /// The identifier of the change that was sent last.
    static func ccid(_ sent: [String]) -> String {
        guard let range = sent.last?.firstRange(of: "\"ccid\":\"") else { return "" }
        return String(sent.last?[range.upperBound...].prefix { $0 != "\"" } ?? "")
    }
}

@Suite struct SimperiumPlayTests {
    private static let opening = [
        #"1> 0:init:{"name":"note","clientid":"one","token":"old","app_id":"app","api":"1.1"}"#,
        "1< 0:auth:user", "1> 0:i:1:::100",
        #"1< 0:i:{"current":"cv1","index":[{"id":"k","v":3,"d":{"a":1}}]}"#,
    ]

    private static let change =
        #"1> 0:c:{"id":"k","o":"M","sv":3,"v":{"a":{"o":"r","v":2}},"ccid":"c1"}"#

    private func ready(
        _ more: [String], settings: SimperiumPlay.Settings = .init(), version: Int = 7
    ) -> PlayBook {
        var book = PlayBook(Self.opening + more, settings: settings)
        _ = book.open()
        _ = book.receive("0:auth:user")
        return book
    }

    private func page(_ version: Int) -> String {
        #"0:i:{"current":"L1","index":[{"id":"k","v":\#(version),"d":{"a":1}}]}"#
    }

    @Test func `commands wait for what had come, and bear the names of the live session`() {
        var book = PlayBook(
            Self.opening + [
                Self.change,
                #"1< 0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"cv":"cv2","ccids":["c1"],"clientid":"one"}]"#,
                "1> 0:e:k.4", "1< 0:e:k.4\n{\"data\":{\"a\":2}}", "1> 0:cv:cv2", "1< 0:c:[]",
            ])
        book.names.bind(.token, "old", "new")
        let opened = book.open()
        #expect(opened.count == 1)
        #expect(opened[0].contains(#""token":"new""#) && !opened[0].contains(#""one""#))
        #expect(book.receive("0:auth:user") == ["1> 0:i:1:::100"])
        let sent = book.receive(page(7))
        #expect(sent.count == 1)
        #expect(sent[0].contains(#""sv":7"#) && !sent[0].contains("\"c1\""))
        let ccid = PlayBook.ccid(sent)
        #expect(
            book.receive(
                #"0:c:[{"id":"k","o":"M","sv":7,"ev":8,"v":{"a":{"o":"r","v":2}},"cv":"L2","ccids":["\#(ccid)"],"clientid":"x"}]"#
            ) == ["1> 0:e:k.8"])
        #expect(book.receive("0:e:k.8\n{\"data\":{\"a\":2}}") == ["1> 0:cv:L2"])
        #expect(book.receive("0:c:[]") == ["1> h:0"])
        #expect(book.receive("h:1") == ["close 1", "finished 1"])
        // Only the version with which it began differs.
        #expect(book.deviations() == ["4 JSON /index/0/v: recorded 3, received 7"])
        #expect(book.play.played(ConnectionID(1))?.matched == 4)
    }

    @Test func `verbatim sends what was recorded`() {
        var settings = SimperiumPlay.Settings()
        settings.isVerbatim = true
        var book = ready([Self.change], settings: settings)
        #expect(book.receive(page(7)).first == String(Self.change.replacing("1> ", with: "1> ")))
    }

    @Test(arguments: [
        (
            #"[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":9}},"cv":"L","ccids":["#,
            "6 JSON /0/v/a/v: recorded 2, received 9"
        ),
        (
            #"[{"id":"k","o":"M","sv":3,"ev":6,"v":{"a":{"o":"r","v":2}},"cv":"L","ccids":["#,
            "6 JSON /0/ev: recorded 4, received 6"
        ),
        (
            #"[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"x":1,"ccids":["#,
            "6 JSON /0/x: not recorded, received 1"
        ),
    ])
    func `a changed answer is found and pointed at`(answer: String, expected: String) {
        var book = ready([
            Self.change,
            #"1< 0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"cv":"cv2","ccids":["c1"],"clientid":"one"}]"#,
        ])
        let ccid = PlayBook.ccid(book.receive(page(3)))
        _ = book.receive("0:c:" + answer + "\"\(ccid)\"],\"clientid\":\"z\"}]")
        #expect(book.deviations().contains(expected), "\(book.deviations())")
    }

    @Test func `an acknowledgement that comes twice is bridged`() {
        var book = ready([
            Self.change,
            #"1< 0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"cv":"cv2","ccids":["c1"],"clientid":"one"}]"#,
        ])
        let ccid = PlayBook.ccid(book.receive(page(3)))
        let answer =
            #"0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"cv":"L","ccids":["\#(ccid)"],"clientid":"one"}]"#
        _ = book.receive(answer)
        #expect(book.play.played(ConnectionID(1))?.bridgedCount == 0)
        _ = book.receive(answer)
        let played = book.play.played(ConnectionID(1))
        #expect(played?.isSame == true)
        #expect(
            played?.bridged == ["channel 0: the change of k to version 4 was acknowledged again"])
    }

    @Test func `an invalid diff is sent again with all data`() {
        var book = ready([
            Self.change,
            #"1< 0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"cv":"cv2","ccids":["c1"],"clientid":"one"}]"#,
        ])
        let ccid = PlayBook.ccid(book.receive(page(3)))
        let again = book.receive(#"0:c:[{"id":"k","error":440,"ccids":["\#(ccid)"]}]"#)
        #expect(again.count == 1)
        #expect(again.first?.contains(#""d":{"a":2}"#) == true)
        let other = PlayBook.ccid(again)
        #expect(other != ccid)
        let end = book.receive(
            #"0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{"a":{"o":"r","v":2}},"cv":"L","ccids":["\#(other)"],"clientid":"one"}]"#
        )
        #expect(end == ["1> h:0"])
        #expect(book.deviations().contains("6 JSON /0/error: not recorded, received 440"))
        #expect(book.play.played(ConnectionID(1))?.recoveries == 1)
    }

    @Test func `what does not come is missing after the patience, and the client goes on`() {
        var book = ready(["1> 0:e:k.3", "1< 0:e:k.3\n?", "1> 0:e:k.2", "1< 0:e:k.2\n?"])
        #expect(book.receive(page(3)) == ["1> 0:e:k.3"])
        #expect(book.on(.timePassed(progress: 0), after: 5) == [])
        #expect(book.on(.timePassed(progress: 0), after: 6) == ["1> 0:e:k.2"])
        #expect(book.receive("0:e:k.2\n?") == ["1> h:0"])
        #expect(book.deviations() == [#"6 command: recorded e:k.3\n?, not received"#])
    }

    @Test func `an unknown change version is answered with the index`() {
        var book = PlayBook([
            Self.opening[0], "1< 0:auth:user", "1> 0:cv:cv0",
            #"1< 0:c:[{"id":"k","o":"M","sv":3,"ev":4,"v":{},"cv":"cv1","ccids":["x"],"clientid":"z"}]"#,
            #"1> 0:c:{"id":"k","o":"M","sv":4,"v":{"a":{"o":"r","v":2}},"ccid":"c1"}"#,
        ])
        _ = book.open()
        #expect(book.receive("0:auth:user") == ["1> 0:cv:cv0"])
        #expect(book.receive("0:cv:?") == ["1> 0:i::::100"])
        let sent = book.receive(#"0:i:{"current":"L","index":[{"id":"k","v":9}]}"#)
        #expect(sent.first?.contains(#""sv":9"#) == true)
        #expect(book.deviations() == ["4 command: recorded c, changes, received 0:cv:?"])
    }

    @Test func `a refused token ends the channel, and a lost socket everything`() {
        var book = PlayBook(Self.opening)
        _ = book.open()
        let end = book.receive(#"0:auth:{"msg":"Token invalid","code":401}"#)
        #expect(end == ["1> h:0"])
        #expect(book.deviations().count == 1)
        var other = PlayBook(Self.opening)
        _ = other.open()
        let lost = other.on(.closed(ConnectionID(1), code: 1001, reason: "gone"))
        #expect(lost == ["finished 1"])
        #expect(other.deviations() == ["0 the socket: recorded open, received closed: gone"])
    }

    @Test func `changes of others may come together or one by one`() {
        let one =
            #"{"id":"a","o":"M","ev":1,"v":{},"cv":"x1","ccids":["p"],"clientid":"z"}"#
        let two = #"{"id":"b","o":"M","ev":1,"v":{},"cv":"x2","ccids":["q"],"clientid":"z"}"#
        var book = ready(["1< 0:c:[\(one),\(two)]", "1> 0:e:b.1"])
        #expect(book.receive(page(3)) == [])
        #expect(book.receive("0:c:[\(one)]") == [])
        #expect(book.receive("0:c:[\(two)]") == ["1> 0:e:b.1", "1> h:0"])
        var other = ready(["1< 0:c:[\(one)]", "1< 0:c:[\(two)]", "1> 0:e:b.1"])
        #expect(other.receive(page(3)) == [])
        #expect(other.receive("0:c:[\(one),\(two)]") == ["1> 0:e:b.1", "1> h:0"])
        #expect(book.deviations() + other.deviations() == [])
    }

    @Test func `one of several makes keys of its own, and takes others' changes as they come`() {
        var settings = SimperiumPlay.Settings()
        settings.isOneOfSeveral = true
        var book = ready(
            [
                #"1> 0:c:{"id":"brandnew1","o":"M","v":{"me":{"o":"+","v":"brandnew1"}},"ccid":"c1"}"#,
                #"1< 0:c:[{"id":"brandnew1","o":"M","ev":1,"v":{"me":{"o":"+","v":"brandnew1"}},"cv":"x","ccids":["c1"],"clientid":"one"}]"#,
                "1> 0:e:brandnew1.1",
            ], settings: settings)
        let sent = book.receive(
            #"0:i:{"current":"L","index":[{"id":"k","v":3,"d":{"a":1}},{"id":"theirs","v":1,"d":{}}]}"#
        )
        let ccid = PlayBook.ccid(sent)
        let key = sent.first?.firstRange(of: "\"id\":\"").map { range in
            String(sent[0][range.upperBound...].prefix { $0 != "\"" })
        }
        #expect(key != nil && key != "brandnew1")
        _ = book.receive(#"0:c:[{"id":"other","o":"M","ev":1,"v":{},"cv":"y","ccids":["zz"]}]"#)
        let next = book.receive(
            #"0:c:[{"id":"\#(key ?? "")","o":"M","ev":1,"v":{"me":{"o":"+","v":"\#(key ?? "")"}},"cv":"x","ccids":["\#(ccid)"],"clientid":"one"}]"#
        )
        #expect(next == ["1> 0:e:\(key ?? "").1", "1> h:0"])
        #expect(book.deviations() == [])
    }

    @Test func `a server that closed has to close`() {
        let end = RecordedSocket(id: ConnectionID(1), end: .init(code: 1012, at: second(9)))
        var book = PlayBook([Self.opening[0], "1< 0:auth:user"], sockets: [end])
        _ = book.open()
        #expect(book.receive("0:auth:user") == [])
        #expect(book.on(.closed(ConnectionID(1), code: 1012, reason: "x")) == ["finished 1"])
        #expect(book.deviations() == [])
        book = PlayBook([Self.opening[0], "1< 0:auth:user"], sockets: [end])
        _ = book.open()
        _ = book.receive("0:auth:user")
        #expect(book.on(.timePassed(progress: 0), after: 11) == ["close 1", "finished 1"])
        #expect(book.deviations() == ["0 the socket: recorded closed with 1012, received open"])
    }

    @Test func `time passes as recorded`() {
        var settings = SimperiumPlay.Settings()
        settings.pace = .times(2)
        var book = PlayBook(Self.opening, settings: settings)
        #expect(book.open().count == 1)
        // Lines are a second apart.
        #expect(book.receive("0:auth:user") == [])
        #expect(book.on(.timePassed(progress: 0), after: 0.4) == [])
        #expect(book.on(.timePassed(progress: 0), after: 0.2) == ["1> 0:i:1:::100"])
    }

    @Test func `hostile text does no harm`() {
        for text in [
            "", ":", "0", "0:", "99999999999999999999:c:[]", "0:c:", "0:c:[[[", "\u{0}", "h:",
            "0:e:", "0:e:.", "0:i:", "0:i:{}", "0:i:?", "0:cv:?", "0:c:?", "?", "0:?", "log:1",
            "5:auth:x", #"0:c:[{"id":"k","ev":-9223372036854775808,"ccids":["c1"]}]"#,
            #"0:i:{"index":[{"id":"k","v":9223372036854775807}],"mark":"m"}"#,
            "0:c:" + String(repeating: "[", count: 5_000),
        ] {
            for lines in [
                Self.opening + [Self.change], Self.opening + ["1< \(text)", Self.change],
            ] {
                var book = PlayBook(lines)
                _ = book.open()
                for _ in 0..<3 { _ = book.receive(text) }
                _ = book.receive("0:auth:user")
                _ = book.receive(text)
                _ = book.receive(page(3))
                _ = book.receive(text)
                for _ in 0..<20 { _ = book.on(.timePassed(progress: 0), after: 11) }
                #expect(book.play.played(ConnectionID(1))?.recorded ?? 0 > 0)
            }
        }
    }
}
