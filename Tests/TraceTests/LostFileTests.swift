import Foundation
import Storage
import Testing
import Wire

@testable import Trace

/// The file of a trace is deleted, replaced or truncated while it is written.
@Suite struct LostFileTests {
    private func options(_ warnings: Shared<[String]>) -> TraceOptions {
        var options = TraceOptions()
        options.lookInterval = 0
        options.onWarning = { text in warnings.change { $0.append(text) } }
        return options
    }

    private func paths(_ file: String) throws -> [String] {
        let reader = try TraceReader(path: file)
        #expect(try reader.db.text("PRAGMA integrity_check") == "ok")
        var paths: [String] = []
        let statement = try reader.db.prepare("SELECT path FROM http_exchange ORDER BY id")
        while try statement.step() { paths.append(statement.string(0)) }
        return paths
    }

    @Test(arguments: ["delete", "delete all", "move", "replace"])
    func `goes on in another file with all that was there`(how: String) throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        let files = FileManager.default
        try Data("mine".utf8).write(to: URL(fileURLWithPath: trace.path + ".recovered"))
        let writer = try trace.writer(options(warnings))
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 1, body: "before"))
        writer.flush()
        switch how {
        case "delete": try files.removeItem(atPath: trace.path)
        case "delete all":
            for name in try files.contentsOfDirectory(atPath: trace.directory)
            where name.hasPrefix("a.tape") && !name.contains("recovered") {
                try files.removeItem(atPath: trace.directory + "/" + name)
            }
        case "move": try files.moveItem(atPath: trace.path, toPath: trace.directory + "/moved")
        default:
            try Data("other".utf8).write(to: URL(fileURLWithPath: trace.directory + "/other"))
            #expect(rename(trace.directory + "/other", trace.path) == 0)
        }
        _ = writer.put(traffic.exchange(opened, number: 2, body: "after"))
        writer.flush()
        _ = writer.put(traffic.exchange(opened, number: 3, body: "last"))
        writer.finish()
        let recovered = trace.path + ".recovered-2"
        #expect(writer.path == recovered)
        #expect(writer.failure == TraceError(.lost, ""))
        let verb = how.hasPrefix("delete") || how == "move" ? "deleted" : "replaced"
        #expect(
            warnings.get() == [
                "\(trace.path) was \(verb) while it was being written: recording goes on in "
                    + "\(recovered), with the earlier traffic"
            ])
        #expect(try paths(recovered).suffix(3) == ["/item/1", "/item/2", "/item/3"])
        #expect(
            try String(contentsOfFile: trace.path + ".recovered", encoding: .utf8) == "mine")
        switch how {
        case "move": #expect(try paths(trace.directory + "/moved").first == "/item/1")
        case "replace":
            #expect(try String(contentsOfFile: trace.path, encoding: .utf8) == "other")
        default: #expect(!files.fileExists(atPath: trace.path))
        }
        #expect(!files.fileExists(atPath: trace.path + "-wal"))
    }

    @Test func `goes on without what was truncated and says what is missing`() throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        let writer = try trace.writer(options(warnings))
        var traffic = Traffic()
        let opened = traffic.open()
        _ = writer.put(opened.records + traffic.exchange(opened, number: 1, body: "before"))
        writer.flush()
        #expect(truncate(trace.path, 0) == 0)
        _ = writer.put([.mark(MarkRow(at: traffic.tick(), name: "truncated"))])
        writer.flush()
        // By now it was noticed, whenever that was.
        _ = writer.put([.mark(MarkRow(at: traffic.tick(), name: "noticed"))])
        writer.flush()
        _ = writer.put(traffic.exchange(opened, number: 2, body: "after") + traffic.close(opened))
        writer.finish()
        let recovered = trace.path + ".recovered"
        #expect(writer.path == recovered)
        #expect(writer.failure == TraceError(.lost, ""))
        #expect(warnings.get().first?.contains("was truncated while it was being written") == true)
        #expect(try paths(recovered) == ["/item/2"])
        let gaps = try TraceReader(path: recovered).gaps()
        #expect(gaps.map(\.reason) == [.traceLost])
        #expect(gaps.first?.connection == opened.connection)
        try Rebuild.run(path: recovered)
        #expect(try paths(recovered) == ["/item/2"])
    }

    @Test func `stops when asked to`() throws {
        let trace = try TemporaryTrace()
        let stopped = Shared<[TraceError]>([])
        var options = TraceOptions()
        options.lookInterval = 0
        options.onDiskFull = .stop
        options.onStop = { error in stopped.change { $0.append(error) } }
        let writer = try trace.writer(options)
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 1))
        writer.flush()
        try FileManager.default.removeItem(atPath: trace.path)
        _ = writer.put(traffic.http(exchanges: 1))
        writer.flush()
        writer.finish()
        #expect(stopped.get() == [TraceError(.lost, "")])
        #expect(writer.failure == TraceError(.lost, ""))
        #expect(!FileManager.default.fileExists(atPath: trace.path + ".recovered"))
    }

    @Test func `a file deleted right before the end is noticed`() throws {
        let trace = try TemporaryTrace()
        let writer = try trace.writer()
        var traffic = Traffic()
        _ = writer.put(traffic.http(exchanges: 1))
        writer.flush()
        try FileManager.default.removeItem(atPath: trace.path)
        writer.finish()
        #expect(writer.failure == TraceError(.lost, ""))
        #expect(try paths(trace.path + ".recovered") == ["/item/0"])
    }

    @Test func `a trace that others only read or vacuum is not lost`() throws {
        let trace = try TemporaryTrace()
        let warnings = Shared<[String]>([])
        let writer = try trace.writer(options(warnings))
        var traffic = Traffic()
        for _ in 0..<4 {
            _ = writer.put(
                traffic.http(exchanges: 3, body: String(repeating: "x", count: 200_000)))
            writer.flush()
            _ = try trace.rows("PRAGMA wal_checkpoint(TRUNCATE)")
            _ = try trace.rows("VACUUM")
            _ = try trace.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        writer.finish()
        #expect(warnings.get().isEmpty)
        #expect(writer.failure == nil)
        #expect(try trace.integrity == "ok")
    }
}
