import Notation
import Simperium
import Testing
import Wire

struct ServerIndexTests {
    static func objects(_ count: Int) -> [ServerObject] {
        (0..<count).map {
            ServerObject(
                key: "k\($0)", number: Int64($0 + 1),
                data: .object(JSONObject([.init("n", .number(String($0)))])))
        }
    }

    static func bucket(_ count: Int, _ options: BucketOptions = BucketOptions()) -> ServerBucket {
        ServerBucket(
            name: "notes", options: options, versions: ServerPlaybook.versions,
            objects: objects(count), cv: "here")
    }

    @Test func `gives pages with and without data`() {
        var book = ServerPlaybook()
        book.seed(Self.bucket(3))
        let script = """
            join 1 c1
            > 1 0:i::::10
            < 1 0:i:{"current":"here","index":[{"id":"k0","v":1},{"id":"k1","v":2},{"id":"k2","v":3}]}
            > 1 0:i:1:::1000
            < 1 0:i:{"current":"here","index":[{"id":"k0","v":1,"d":{"n":0}},{"id":"k1","v":2,"d":{"n":1}},{"id":"k2","v":3,"d":{"n":2}}]}
            > 1 0:i
            < 1 0:i:{"current":"here","index":[{"id":"k0","v":1},{"id":"k1","v":2},{"id":"k2","v":3}]}
            > 1 0:i::nonsense::10
            < 1 0:i:?
            > 1 0:i::12::10
            < 1 0:i:{"current":"here","index":[]}
            > 1 0:i:::nonsense:10
            < 1 0:i:?
            """
        #expect(book.play(script) == [])
    }

    @Test(arguments: [
        (nil, 100), (0, 100), (-1, 100), (1, 1), (999, 999), (1000, 1000), (1001, 1000),
        (Int.max, 1000),
    ])
    func `limits a page`(limit: Int?, count: Int) throws {
        let bucket = Self.bucket(1500)
        let page = try #require(bucket.page(IndexRequest(wantsData: false, limit: limit)))
        #expect(page.entries.count == count)
        #expect(page.mark != nil)
    }

    @Test(arguments: [true, false])
    func `takes marks in the second slot and in the third`(isThird: Bool) throws {
        let bucket = Self.bucket(25)
        var keys: [String] = []
        var request = IndexRequest(wantsData: false, limit: 10)
        for number in 0..<3 {
            let page = try #require(bucket.page(request))
            keys += page.entries.compactMap(\.key)
            #expect((page.mark == nil) == (number == 2))
            let mark = page.mark ?? ""
            #expect(number == 2 || !mark.utf8.allSatisfy { 0x30...0x39 ~= $0 })
            request = IndexRequest(
                wantsData: false, second: isThird ? "" : mark, third: isThird ? mark : "",
                limit: 10)
        }
        #expect(keys == Self.objects(25).map(\.key))
    }

    @Test func `has no mark where a page ends with the index`() {
        #expect(Self.bucket(10).page(IndexRequest(wantsData: false, limit: 10))?.mark == nil)
        #expect(Self.bucket(11).page(IndexRequest(wantsData: false, limit: 10))?.mark != nil)
    }

    @Test func `does not know the marks of other buckets`() throws {
        let mark = try #require(
            Self.bucket(9).page(IndexRequest(wantsData: false, limit: 1))?.mark)
        let other = ServerBucket(
            name: "x", versions: ChangeVersions(seed: 99), objects: Self.objects(9))
        #expect(other.page(IndexRequest(wantsData: false, second: mark, limit: 1)) == nil)
        let shorter = Self.bucket(0)
        #expect(shorter.page(IndexRequest(wantsData: false, second: mark, limit: 1)) == nil)
    }

    @Test func `counts from the start where a number is an offset`() throws {
        let bucket = Self.bucket(9)
        let page = try #require(
            bucket.page(IndexRequest(wantsData: false, second: "7", limit: 9)))
        #expect(page.entries.map(\.key) == ["k7", "k8"])
        #expect(
            bucket.page(IndexRequest(wantsData: false, second: "\(Int.max)", limit: 9))?.entries
                == [])
        #expect(bucket.page(IndexRequest(wantsData: false, third: "7", limit: 9)) == nil)
        // From the mark in the third slot, as the published prose has it.
        let mark = try #require(bucket.mark(after: "k3"))
        let rest = bucket.page(IndexRequest(wantsData: false, second: "2", third: mark, limit: 2))
        #expect(rest?.entries.map(\.key) == ["k6", "k7"])
        #expect(rest?.mark == bucket.mark(after: "k7"))
        var options = BucketOptions()
        options.readsOffsets = false
        let other = Self.bucket(9, options)
        #expect(other.page(IndexRequest(wantsData: false, second: "7", limit: 9)) == nil)
    }

    @Test func `ends a page of large objects early`() throws {
        var options = BucketOptions()
        options.pageBytes = 20
        let bucket = Self.bucket(9, options)
        let page = try #require(bucket.page(IndexRequest(wantsData: true, limit: 9)))
        #expect(page.entries.count == 2)
        #expect(page.mark != nil)
        #expect(bucket.page(IndexRequest(wantsData: false, limit: 9))?.entries.count == 9)
    }

    @Test(arguments: [
        (BucketOptions.EmptyCurrent.changeVersion, #"{"current":"cv0","index":[]}"#),
        (.missing, #"{"index":[]}"#), (.empty, #"{"current":"","index":[]}"#),
    ])
    func `says of an empty bucket what it is told to say`(
        option: BucketOptions.EmptyCurrent, json: String
    ) {
        let script = """
            join 1 c1
            > 1 0:i::::10
            < 1 0:i:\(json)
            > 1 0:c:{"id":"a","o":"M","v":{},"ccid":"1"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"M","v":{},"ev":1,"cv":"cv1","ccids":["1"]}]
            > 1 0:c:{"id":"a","o":"-","ccid":"2"}
            <* 1 0:c:[{"clientid":"c1","id":"a","o":"-","sv":1,"ev":2,"cv":"cv2","ccids":["2"]}]
            > 1 0:i::::10
            < 1 0:i:{"current":"cv2","index":[]}
            """
        #expect(play(script) { $0.bucket.emptyCurrent = option } == [])
    }

    @Test func `lists once what stays, whatever changes between the pages`() throws {
        for seed in 0..<50 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var bucket = Self.bucket(60)
            let author = ChangeAuthor(clientID: "c")
            var seen: [String] = []
            var touched: Set<String> = []
            var currents: [String] = []
            var mark = ""
            var ccid = 0
            repeat {
                let page = try #require(
                    bucket.page(IndexRequest(wantsData: false, second: mark, limit: 7)))
                seen += page.entries.compactMap(\.key)
                currents.append(page.current ?? "")
                mark = page.mark ?? ""
                for _ in 0..<Int.random(in: 1...30, using: &random) where !mark.isEmpty {
                    let key = "k\(Int.random(in: 0..<80, using: &random))"
                    ccid += 1
                    var change = SimperiumChange<JSONValue>(
                        key: key, operation: .remove, ccids: [String(ccid)])
                    if Bool.random(using: &random) {
                        change.operation = .modify
                        change.data = .object(JSONObject([.init("x", .number(String(ccid)))]))
                        // An edit leaves an object where it is.
                        if bucket.object(key) == nil { touched.insert(key) }
                    } else {
                        touched.insert(key)
                    }
                    _ = bucket.receive(change, from: author)
                }
            } while !mark.isEmpty
            let kept = Self.objects(60).map(\.key).filter { !touched.contains($0) }
            #expect(seen.filter { !touched.contains($0) } == kept)
            // Clients have to expect that.
            #expect(Set(currents).count > 1)
        }
    }
}
