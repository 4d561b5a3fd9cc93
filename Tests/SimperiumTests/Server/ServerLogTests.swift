import Notation
import Simperium
import Testing
import Wire

struct ServerLogTests {
    static let author = ChangeAuthor(clientID: "c")

    static func bucket(_ change: (inout BucketOptions) -> Void = { _ in }) -> ServerBucket {
        var options = BucketOptions()
        change(&options)
        return ServerBucket(name: "b", options: options, versions: ServerPlaybook.versions)
    }

    /// Sets `n` of an object, or removes it.
    static func set(_ bucket: inout ServerBucket, _ key: String, _ number: Int?, _ ccid: String) {
        var change = SimperiumChange<JSONValue>(key: key, operation: .remove, ccids: [ccid])
        if let number {
            change.operation = .modify
            change.data = .object(JSONObject([.init("n", .number(String(number)))]))
        }
        let outcome = bucket.receive(change, from: author)
        #expect(outcome.change.error == nil)
    }

    static func text(_ changes: [SimperiumChange<JSONValue>]?) -> String? {
        changes.map {
            String(
                decoding: SimperiumMessage(nil, .changes($0)).encoded(by: .server), as: UTF8.self)
        }
    }

    @Test func `tells the changes since any change version it knows`() {
        let script = """
            join 1 c1
            > 1 0:cv:cv0
            < 1 0:c:[]
            > 1 0:c:{"id":"a","o":"M","v":{},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"-","ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:cv:cv0
            < 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]},{"clientid":"c1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:cv:cv1
            < 1 0:c:[{"clientid":"c1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:cv:cv2
            < 1 0:c:[]
            > 1 0:cv:
            < 1 0:cv:?
            > 1 0:cv:0
            < 1 0:cv:?
            > 1 0:cv:cv3
            < 1 0:cv:?
            """
        #expect(play(script) == [])
    }

    @Test func `forgets all but the last changes`() {
        var bucket = Self.bucket()
        for number in 1...150 { Self.set(&bucket, "k\(number % 7)", number, "\(number)") }
        #expect(bucket.loggedCount == 100)
        #expect(bucket.changes(since: "cv49") == nil)
        #expect(bucket.changes(since: "cv50")?.count == 100)
        #expect(bucket.changes(since: "cv149")?.count == 1)
        #expect(bucket.changes(since: "cv150") == [])
    }

    @Test func `forgets changes by their size as well`() {
        var bucket = Self.bucket { $0.loggedBytes = 1000 }
        for number in 1...150 { Self.set(&bucket, "k", number, "\(number)") }
        #expect(1...20 ~= bucket.loggedCount)
        var tiny = Self.bucket { $0.loggedBytes = 1 }
        Self.set(&tiny, "k", 1, "1")
        #expect(tiny.loggedCount == 0)
        #expect(tiny.changes(since: "cv1") == [])
        #expect(tiny.changes(since: "cv0") == nil)
    }

    /// Proves: S-34, S-40.
    @Test func `merges the changes of each object`() {
        var bucket = Self.bucket { $0.aggregation = .answers }
        Self.set(&bucket, "a", 1, "1")
        Self.set(&bucket, "pair", 1, "2")
        Self.set(&bucket, "b", 5, "3")
        Self.set(&bucket, "a", 2, "4")
        Self.set(&bucket, "pair", nil, "5")
        Self.set(&bucket, "b", nil, "6")
        Self.set(&bucket, "b", 7, "7")
        Self.set(&bucket, "pair", 1, "8")
        Self.set(&bucket, "pair", nil, "9")
        #expect(
            Self.text(bucket.changes(since: "cv0"))
                == #"c:[{"clientid":"c","id":"a","o":"M","v":{"n":{"o":"+","v":2}},"ev":2,"#
                + #""cv":"cv4","ccids":["1","4"]},{"clientid":"c","id":"b","o":"M","#
                + #""v":{"n":{"o":"+","v":7}},"ev":3,"cv":"cv9","ccids":["3","6","7"]}]"#)
        #expect(
            Self.text(bucket.changes(since: "cv3"))
                == #"c:[{"clientid":"c","id":"a","o":"M","v":{"n":{"o":"r","v":2}},"sv":1,"ev":2,"#
                + #""cv":"cv4","ccids":["4"]},{"clientid":"c","id":"b","o":"M","#
                + #""v":{"n":{"o":"r","v":7}},"sv":1,"ev":3,"cv":"cv7","ccids":["6","7"]},"#
                + #"{"clientid":"c","id":"pair","o":"-","sv":1,"ev":4,"cv":"cv9","#
                + #""ccids":["5","8","9"]}]"#)
        #expect(bucket.changes(since: "cv7") == [])
    }

    @Test func `drops what came before a bucket was emptied`() {
        var bucket = Self.bucket { $0.aggregation = .answers }
        Self.set(&bucket, "a", 1, "1")
        Self.set(&bucket, "a", 2, "2")
        _ = bucket.receive(
            SimperiumChange<JSONValue>(key: "b", operation: .empty, ccids: ["3"]), from: Self.author
        )
        Self.set(&bucket, "a", 3, "4")
        #expect(bucket.changes(since: "cv0")?.map(\.operation) == [.empty, .modify])
        #expect(bucket.changes(since: "cv1")?.map(\.ev) == [nil, 4])
    }

    @Test func `merges the older half instead of forgetting it`() {
        var bucket = Self.bucket {
            $0.aggregation = .older
            $0.loggedChanges = 10
        }
        for number in 1...100 { Self.set(&bucket, "k\(number % 2)", number, "\(number)") }
        #expect(bucket.loggedCount <= 10)
        // The start is known for as long as not too many identifiers have piled up.
        var short = Self.bucket {
            $0.aggregation = .older
            $0.loggedChanges = 10
        }
        for number in 1...20 { Self.set(&short, "k\(number % 2)", number, "\(number)") }
        let since = short.changes(since: "cv0") ?? []
        #expect(since.count <= 10)
        #expect(since.flatMap(\.ccids).count == 20)
        #expect(since.contains { ($0.ev ?? 0) - ($0.sv ?? 0) > 1 })
        // Within what was merged no change version is known.
        #expect(short.changes(since: "cv2") == nil)
        #expect(short.changes(since: "cv19")?.count == 1)
    }

    @Test func `knows only so many changes again`() {
        var bucket = Self.bucket { $0.knownChanges = 5 }
        for number in 1...20 { Self.set(&bucket, "k", number, "\(number)") }
        #expect(bucket.knownCount == 5)
        func code(_ ccid: String) -> Int? {
            var copy = bucket
            return copy.receive(
                SimperiumChange<JSONValue>(key: "k", operation: .remove, ccids: [ccid]),
                from: Self.author
            ).change.error
        }
        #expect(code("16") == 409)
        #expect(code("15") == nil)
    }
}
