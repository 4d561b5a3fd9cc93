import Foundation
import Notation
import Simperium
import Testing
import Wire

/// Deltas against those of another implementation, both ways; see `Tools/oracles/delta_oracle.py`.
struct DeltaOracleTests {
    private struct Case {
        var old: String
        var new: String
        var delta: String

        init(_ line: Substring) throws {
            guard case .array(let fields) = try JSONValue(parsing: String(line)), fields.count == 3,
                let old = fields[0].string, let new = fields[1].string, let delta = fields[2].string
            else { throw CocoaError(.fileReadCorruptFile) }
            (self.old, self.new, self.delta) = (old, new, delta)
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Set up by `Tools/setup`.
    private static let python = root.appending(path: ".venv/bin/python")

    private static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python.path) }

    /// Runs the oracle and returns what it prints.
    private func run(_ arguments: [String], input: URL? = nil) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = Self.python
        process.arguments =
            [Self.root.appending(path: "Tools/oracles/delta_oracle.py").path] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput =
            try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    private func cases() throws -> [Case] {
        let (status, text) = try run(["--make", "--seed", "20130701", "--count", "2500"])
        #expect(status == 0)
        let cases = try text.split(separator: "\n").map(Case.init)
        #expect(cases.count == 2500)
        return cases
    }

    @Test(.enabled(if: isThere, "there is no .venv: run Tools/setup"))
    func `deltas of the other apply here`() throws {
        var odd = 0
        for vector in try cases() {
            let delta = try StringDelta(parsing: vector.delta)
            #expect(try delta.apply(to: vector.old).utf8.elementsEqual(vector.new.utf8))
            #expect(!delta.splitsPair(of: vector.old))
            // What it writes is what would be written here; now and then it writes a bare `+`.
            #expect(delta.text == vector.delta || delta.hasEmptySteps)
            if delta.hasEmptySteps { odd += 1 }
        }
        #expect(odd < 25)
    }

    @Test(.enabled(if: isThere, "there is no .venv: run Tools/setup"))
    func `deltas made here apply there, and are about as short`() throws {
        let cases = try cases()
        let lines = cases.map { vector in
            let delta = StringDelta.diff(from: vector.old, to: vector.new)
            let fields = [vector.old, vector.new, delta.text].map(JSONValue.string)
            return JSONValue.array(fields).text() + "\n"
        }
        let file = FileManager.default.temporaryDirectory.appending(
            path: "deltas-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(lines.joined().utf8).write(to: file)
        let (status, detail) = try run(["--check"], input: file)
        #expect(status == 0, "\(detail)")
        let words = detail.split(whereSeparator: \.isWhitespace)
        #expect(words.starts(with: ["ok", "2500"]), "\(detail)")
        let longer = try #require(words.last.flatMap { Int($0) })
        #expect(longer < 250, "\(longer) deltas are longer than the other's")
    }
}
