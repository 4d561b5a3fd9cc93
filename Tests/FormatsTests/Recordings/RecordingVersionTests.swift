import Foundation
import Testing
import Trace
import TraceWorld

@testable import Formats

@Suite("Earlier versions of the text form") struct RecordingVersionTests {
    private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test func `version 1 gives the rows that version 2 gives`() throws {
        let world = try TraceWorld()
        let first = Self.here.appendingPathComponent("FirstVersion").path
        let second = Self.here.appendingPathComponent(
            "../../../Recordings/unknown-change-version"
        ).standardized.path
        try RecordingImport.run(from: first, to: world.path("a.tape"))
        try RecordingImport.run(from: second, to: world.path("b.tape"))
        try world.expectSame("a.tape", "b.tape")
        #expect(try world.rows("SELECT count(*) > 0 FROM simperium_command") == ["1"])
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        let written = try String(contentsOfFile: second + "/timeline.jsonl", encoding: .utf8)
        #expect(try world.text("r/timeline.jsonl") == written)
    }

    /// A line of each table whose names changed.
    private static let lines = [
        #"{"event":1,"session_id":1,"at_ns":5,"kind":"warning","says":"odd"}"#,
        #"{"gap":1,"session_id":1,"at_ns":1,"until_ns":2,"bytes":3,"chunks":4,"reason":"let-go"}"#,
        #"{"gap":2,"session_id":1,"at_ns":1,"until_ns":2,"bytes":3,"chunks":4,"reason":"sealed"}"#,
        #"{"gap":3,"session_id":1,"at_ns":1,"until_ns":2,"bytes":3,"chunks":4,"reason":"locked"}"#,
        #"{"finding_statement":1,"session_id":1,"at_ns":0,"rule":"r","severity":"error","offset":0,"says":"wrong","expected":"right"}"#,
    ]

    @Test func `names of version 1 are read as those of now`() throws {
        let world = try TraceWorld()
        let head = RecordingRefusalTests.head.replacing("\"version\":4,", with: "\"version\":1,")
        try RecordingRefusalTests.prepare(world, Self.lines, head: head)
        #expect(try RecordingRefusalTests.refusal(world) == nil)
        #expect(try world.rows("SELECT detail FROM event", of: "b.tape") == ["odd"])
        #expect(try world.rows("SELECT message FROM finding", of: "b.tape") == ["wrong"])
        #expect(
            try world.rows("SELECT reason FROM gap ORDER BY id", of: "b.tape")
                == ["evicted", "encrypted", "locked"])
    }

    @Test(arguments: [0, 2, 3]) func `later versions have no names of version 1`(line: Int) throws {
        let world = try TraceWorld()
        let line = Self.lines[line].replacing(
            "\"reason\":\"sealed\"", with: "\"reason\":\"sealed\",\"says\":\"\""
        ).replacing("\"reason\":\"locked\"", with: "\"reason\":\"locked\",\"says\":\"\"")
        try RecordingRefusalTests.prepare(world, [line])
        let error = try #require(try RecordingRefusalTests.refusal(world))
        #expect(error.reason.contains("no member says"), "\(error.reason)")
    }
}
