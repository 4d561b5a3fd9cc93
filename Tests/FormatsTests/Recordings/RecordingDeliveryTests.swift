import Foundation
import Testing
import Trace
import TraceWorld

@testable import Formats

@Suite("Deliveries in the text form") struct RecordingDeliveryTests {
    private static let before = [RecordingRefusalTests.connection, RecordingRefusalTests.leg]
    private static let chunk = RecordingRefusalTests.chunk
    /// The chunk with a member `deliveries`, in an array where it is not one itself.
    private static func delivered(_ deliveries: String) -> String {
        chunk.dropLast() + ",\"deliveries\":" + deliveries + "}"
    }

    private static let refused: [(String, String)] = [
        (
            delivered(#"[{"offset":3,"count":2}]"#),
            "a delivery ends beyond the 4 bytes of its chunk"
        ),
        (
            delivered(#"[{"offset":5,"count":1}]"#),
            "a delivery ends beyond the 4 bytes of its chunk"
        ),
        (delivered(#"[{"offset":0,"count":9223372036854775807}]"#), "a delivery ends beyond the 4"),
        (delivered(#"[{"offset":3,"count":0}]"#), "a delivery is of at least one byte"),
        (
            delivered(#"[{"offset":1,"count":2},{"offset":2,"count":1,"at_ns":4}]"#),
            "a delivery begins within the one before it"
        ),
        (
            delivered(#"[{"offset":2,"count":1},{"offset":0,"count":1}]"#),
            "a delivery begins within the one before it"
        ),
        (delivered(#"[{"offset":1,"count":2,"at_ns":-1}]"#), "at_ns is -1"),
        (delivered(#"[{"offset":1}]"#), "a delivery has count once"),
        (delivered(#"[{"offset":1,"count":2,"more":1}]"#), "delivery has no member more"),
        (delivered("{}"), "deliveries are an array"),
        (
            delivered(#"[],"deliveries":[]"#),
            "chunk has no member deliveries"
        ),
    ]

    @Test(arguments: refused)
    func `refuses what cannot be, with the line`(line: String, reason: String) throws {
        let world = try TraceWorld()
        try RecordingRefusalTests.prepare(world, Self.before + [line])
        let error = try #require(try RecordingRefusalTests.refusal(world))
        #expect(error.code == .malformed)
        #expect(error.reason.hasPrefix("timeline.jsonl:3: \(reason)"), "\(error.reason)")
    }

    @Test(arguments: 1...4) func `versions from 3 on have them`(version: Int) throws {
        let world = try TraceWorld()
        let head = RecordingRefusalTests.head.replacing(
            "\"version\":4,", with: "\"version\":\(version),")
        let patched =
            Self.chunk.dropLast()
            + #","patches":[{"offset":1,"removed":1,"inserted":"","reason":"host"}]"#
        try RecordingRefusalTests.prepare(world, Self.before + [patched + "}"], head: head)
        #expect(try RecordingRefusalTests.refusal(world) == nil)
        #expect(
            try world.rows(#"SELECT "offset", removed FROM patch"#, of: "b.tape") == ["1|1"])
        try FileManager.default.removeItem(atPath: world.path("b.tape"))
        let deliveries =
            #","deliveries":[{"offset":0,"count":2},{"offset":2,"count":2,"at_ns":9}]}"#
        try RecordingRefusalTests.prepare(world, Self.before + [patched + deliveries], head: head)
        let error = try RecordingRefusalTests.refusal(world)
        guard version >= 3 else {
            #expect(error?.reason == "timeline.jsonl:3: chunk has no member deliveries")
            return
        }
        #expect(error == nil)
        #expect(
            try world.rows(
                #"SELECT "offset", count, at_ns IS NULL, coalesce(at_ns, 0) FROM delivery"#,
                of: "b.tape") == ["0|2|1|0", "2|2|0|9"])
    }

    @Test(
        arguments: ["id = id + 1", "id = 1, chunk_id = 0", "count = -1"])
    func `what cannot be is not exported`(mistake: String) throws {
        let world = try TraceWorld()
        try RecordingTests.record(world)
        _ = try world.rows("DELETE FROM delivery WHERE id % 16777216 > 0")
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        _ = try world.rows("UPDATE delivery SET \(mistake)")
        let error = #expect(throws: FileError.self) {
            try RecordingExport.run(from: world.path("a.tape"), to: world.path("s"))
        }
        #expect(error?.code == .malformed)
        #expect(try world.names == ["a.tape", "r"])
    }
}
