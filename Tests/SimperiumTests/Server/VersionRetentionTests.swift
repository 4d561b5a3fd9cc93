import Notation
import Simperium
import Testing
import Wire

struct VersionRetentionTests {
    /// An object after so many edits.
    static func bucket(
        _ edits: Int, _ change: (inout BucketOptions) -> Void = { _ in }
    ) -> ServerBucket {
        var options = BucketOptions()
        change(&options)
        var bucket = ServerBucket(name: "b", options: options, versions: ChangeVersions(seed: 3))
        for number in 1...edits {
            let data = JSONValue.object(JSONObject([.init("n", .number(String(number)))]))
            _ = bucket.receive(
                SimperiumChange<JSONValue>(
                    key: "k", operation: .modify, ccids: ["\(number)"], data: data),
                from: ChangeAuthor(clientID: "c"))
        }
        return bucket
    }

    @Test(arguments: [
        (1, Array(1...1)), (60, Array(1...60)), (61, Array(2...61)),
        (70, [10] + Array(11...70)), (71, [10] + Array(12...71)),
        (135, [10, 20, 30, 40, 50, 60, 70] + Array(76...135)),
        (1200, Array(stride(from: 150, through: 1140, by: 10)) + Array(1141...1200)),
    ])
    func `keeps the newest versions and every tenth older one`(edits: Int, kept: [Int]) {
        let bucket = Self.bucket(edits)
        #expect(bucket.history(of: "k")?.versions.map(\.number) == kept.map(Int64.init))
        for number in [1, 9, 10, 11, 75, 140, 150, 151, 1139, 1200, 1201] {
            let data = bucket.data(of: "k", at: Int64(number))
            #expect((data != nil) == kept.contains(number))
            #expect(data == nil || data?["n"] == .number(String(number)))
        }
    }

    @Test func `keeps as many as it is told to`() {
        let few = Self.bucket(35) {
            $0.newestVersions = 2
            $0.tenthVersions = 2
        }
        #expect(few.history(of: "k")?.versions.map(\.number) == [20, 30, 34, 35])
        let one = Self.bucket(35) {
            $0.newestVersions = 0
            $0.tenthVersions = 0
        }
        #expect(one.history(of: "k")?.versions.map(\.number) == [35])
    }

    @Test func `refuses a change of a version that is not kept`() {
        var bucket = Self.bucket(135)
        func code(_ sv: Int64) -> Int? {
            bucket.receive(
                SimperiumChange<JSONValue>(
                    key: "k", operation: .modify, sv: sv, ccids: ["x\(sv)"],
                    value: try? JSONValue(parsing: #"{"m":{"o":"+","v":\#(sv)}}"#)),
                from: ChangeAuthor(clientID: "c")
            ).change.error
        }
        #expect(code(75) == 405)
        #expect(code(70) == nil)
        #expect(code(80) == nil)
    }

    @Test func `counts what it keeps`() {
        let bucket = Self.bucket(200)
        let versions = bucket.history(of: "k")?.versions ?? []
        #expect(bucket.weight == versions.reduce(0) { $0 + $1.data.bytes().count })
        #expect(bucket.count == 1)
    }

    @Test func `forgets the version of what was removed long ago`() {
        var options = BucketOptions()
        options.removedObjects = 3
        var bucket = ServerBucket(name: "b", options: options, versions: ChangeVersions(seed: 3))
        var ccid = 0
        func make(_ key: String, _ operation: ChangeOperation) -> Int64? {
            ccid += 1
            return bucket.receive(
                SimperiumChange<JSONValue>(
                    key: key, operation: operation, ccids: ["\(ccid)"],
                    data: operation == .modify ? .object(JSONObject()) : nil),
                from: ChangeAuthor(clientID: "c")
            ).change.ev
        }
        for number in 0..<5 {
            #expect(make("k\(number)", .modify) == 1)
            #expect(make("k\(number)", .remove) == 2)
        }
        #expect(make("k0", .modify) == 1)
        #expect(make("k2", .modify) == 3)
        // Coming and going again and again keeps nothing.
        for round in 0..<500 as Range<Int64> {
            #expect(make("k2", .remove) == 4 + 2 * round)
            #expect(make("k2", .modify) == 5 + 2 * round)
        }
        #expect(bucket.contents.count == 4)
        #expect(bucket.count == 2)
        #expect(bucket.weight == 4)
    }
}
