import Filters
import Foundation
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite("Rows for spreadsheets and programs") struct RowExportTests {
    private func world() throws -> TraceWorld {
        let world = try TraceWorld()
        try RecordingTests.record(world)
        return world
    }

    private func lines(_ world: TraceWorld, _ export: RowExport) throws -> [String] {
        let name = "rows-\(UUID().uuidString)"
        let count = try export.run(from: world.path("a.tape"), to: world.path(name))
        let ending = export.format == .csv ? "\r\n" : "\n"
        var lines = try world.text(name).components(separatedBy: ending)
        #expect(lines.removeLast() == "")
        #expect(Int(count) == lines.count - (export.format == .csv ? 1 : 0))
        return lines
    }

    @Test(arguments: [0, 7, 10, 305, 1_000_000, -1, -40, .max, .min] as [Int64])
    func `numbers are written in decimal`(number: Int64) {
        let row = ExportedRow([("a", .integer(number)), ("b", .text("x"))])
        #expect(row.json == #"{"a":\#(number),"b":"x"}"#)
        #expect(row.csv(["a", "b"]) == "\(number),x")
    }

    @Test(arguments: RowExport.Rows.allCases, [false, true])
    func `every row has the columns that the table says it has`(
        rows: RowExport.Rows, hasBodies: Bool
    ) throws {
        let world = try world()
        let export = RowExport(.jsonLines, rows: rows, hasBodies: hasBodies)
        let lines = try lines(world, export)
        #expect(!lines.isEmpty)
        for line in lines {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(object.keys).isSubset(of: export.columns))
            // In a table of one kind every row has every column, but for faults.
            if rows != .lines {
                #expect(Set(export.columns).subtracting(object.keys).isSubset(of: ["faults"]))
            }
        }
        #expect(Set(export.columns).count == export.columns.count)
    }

    @Test func `the filter says which`() throws {
        let world = try world()
        func count(_ filter: String, _ rows: RowExport.Rows = .lines) throws -> Int {
            try lines(world, RowExport(.jsonLines, rows: rows, filter: Filter.parse(filter))).count
        }
        #expect(try count("status:201") == 1)
        #expect(try count("command:c", .commands) == 10)
        #expect(try count("command:c sender:server", .changes) == 5)
        #expect(try count("sender:client", .messages) == 6)
        #expect(try count("status:999") == 0)
    }

    @Test func `bodies are there when asked for`() throws {
        let world = try world()
        let filter = try Filter.parse("status:201")
        let with = try lines(world, RowExport(.jsonLines, filter: filter, hasBodies: true))
        #expect(with[0].contains("\"response_body\":\"<OpenRosaResponse"))
        // A multipart body with a picture is no text.
        #expect(with[0].contains("\"request_body\":{\"base64\":\""))
        let without = try lines(world, RowExport(.jsonLines, filter: filter))
        #expect(!without[0].contains("_body"))
    }

    @Test func `a table begins with its columns and is what CSV says`() throws {
        let world = try world()
        let export = RowExport(.csv, rows: .exchanges)
        let lines = try lines(world, export)
        #expect(lines[0] == export.columns.joined(separator: ","))
        #expect(
            lines[1].hasPrefix(
                "exchange,2023-11-14T22:13:20.000005Z,1,1,1,commcare.submit,POST,"))
    }

    @Test(arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
        ("a\r\nb", "\"a\r\nb\""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"),
        ("\tx", "'\tx"), ("\rx", "\"'\rx\""), ("", ""), ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
        // Swift takes a quote and an accent that follows it for one character.
        ("\"\u{301}", "\"\"\"\u{301}\""),
    ])
    func `cells are quoted, and no formulas`(text: String, cell: String) {
        var row = ExportedRow([])
        row.add("a", text)
        #expect(Array(row.csv(["a"]).utf8) == Array(cell.utf8))
    }

    @Test func `raw cells stay as they are, and numbers are no formulas`() {
        var row = ExportedRow([])
        row.add("a", "=1")
        row.add("b", -5)
        row.add("c", ExportedRow.Cell.bytes([0, 255]))
        row.add(rules: ["one", "two"])
        #expect(
            row.csv(["a", "b", "c", "faults", "none"], isRaw: true) == "=1,-5,base64:AP8=,one two,")
        #expect(row.csv(["b"]) == "-5")
        #expect(
            row.json
                == #"{"a":"=1","b":-5,"c":{"base64":"AP8="},"faults":["one","two"]}"#)
    }
}
