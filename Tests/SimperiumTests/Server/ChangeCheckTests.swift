import Notation
import Simperium
import Testing
import Wire

/// The order of the checks, and that it is a table.
struct ChangeCheckTests {
    static func bucket(_ change: (inout BucketOptions) -> Void) -> ServerBucket {
        var options = BucketOptions()
        change(&options)
        var bucket = ServerBucket(name: "b", options: options, versions: ServerPlaybook.versions)
        _ = bucket.receive(edit("a", "1", #"{"t":{"o":"+","v":"x"}}"#), from: author)
        return bucket
    }

    static let author = ChangeAuthor(clientID: "c")

    static func edit(
        _ key: String, _ ccid: String, sv: Int64? = nil, _ value: String
    ) -> SimperiumChange<JSONValue> {
        SimperiumChange<JSONValue>(
            key: key, operation: .modify, sv: sv, ccids: [ccid],
            value: try? JSONValue(parsing: value))
    }

    static func code(_ bucket: ServerBucket, _ change: SimperiumChange<JSONValue>) -> Int? {
        var bucket = bucket
        return bucket.receive(change, from: author).change.error
    }

    @Test func `reports the first of several reasons`() {
        // A duplicate with an unknown version and operations that do not apply.
        let bad = Self.edit("a", "1", sv: 9, #"{"t":{"o":"O","v":1}}"#)
        #expect(Self.code(Self.bucket { _ in }, bad) == 409)
        #expect(Self.code(Self.bucket { $0.checks = [.version, .duplicate, .diff] }, bad) == 405)
        #expect(Self.code(Self.bucket { $0.checks = [.diff, .duplicate, .version] }, bad) == 440)
        // What cannot be done is refused even where nothing checks it.
        #expect(Self.code(Self.bucket { $0.checks = [] }, bad) == 440)
        let gone = SimperiumChange<JSONValue>(key: "z", operation: .remove, ccids: ["2"])
        #expect(Self.code(Self.bucket { $0.checks = [] }, gone) == 404)
        var other = gone
        other.operation = .other("DROP")
        #expect(Self.code(Self.bucket { $0.checks = [] }, other) == 400)
    }

    @Test func `makes what a check that is left out would have refused`() {
        let same = Self.edit("a", "1", sv: 1, "{}")
        #expect(Self.code(Self.bucket { $0.checks = [] }, same) == nil)
        #expect(Self.code(Self.bucket { $0.checks = [.emptiness] }, same) == 412)
    }

    @Test func `follows the usual order`() {
        #expect(Set(ChangeCheck.usualOrder) == Set(ChangeCheck.allCases))
        #expect(
            ChangeCheck.usualOrder.map(\.code) == [
                401, 400, 400, 413, 409, 405, 404, 440, 413, 412, 503,
            ])
    }

    @Test func `refuses what is too large, sent or made`() {
        let bucket = Self.bucket { $0.objectBytes = 20 }
        let text = String(repeating: "y", count: 20)
        let whole = SimperiumChange<JSONValue>(
            key: "b", operation: .modify, ccids: ["9"],
            data: .object(JSONObject([.init("t", .string(text))])))
        #expect(Self.code(bucket, whole) == 413)
        #expect(Self.code(bucket, Self.edit("b", "9", #"{"t":{"o":"+","v":"\#(text)"}}"#)) == 413)
        let grown = Self.edit("a", "9", sv: 1, #"{"t":{"o":"d","v":"=1\t+\#(text)"}}"#.escaped)
        #expect(Self.code(bucket, grown) == 413)
        let fits = Self.edit("a", "9", sv: 1, #"{"t":{"o":"d","v":"=1\t+yyyyyyy"}}"#.escaped)
        #expect(Self.code(bucket, fits) == nil)
    }

    @Test func `refuses what there is no room for`() {
        let other = Self.edit("b", "9", "{}")
        #expect(Self.code(Self.bucket { $0.objects = 1 }, other) == 503)
        #expect(Self.code(Self.bucket { $0.bytes = 10 }, other) == 503)
        #expect(
            Self.code(
                Self.bucket { $0.objects = 1 }, Self.edit("a", "9", sv: 1, #"{"t":{"o":"-"}}"#))
                == nil)
    }
}

extension String {
    /// With TABs as JSON has them.
    fileprivate var escaped: String { replacing("\t", with: "\\t") }
}
