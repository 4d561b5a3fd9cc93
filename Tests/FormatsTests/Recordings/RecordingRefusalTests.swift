import Foundation
import Notation
import Platform
import Testing
import Trace
import TraceWorld
import Wire

@testable import Formats

@Suite struct RecordingRefusalTests {
    static let head = """
        {"format":"tapedeck recording","version":4,
         "sessions":[{"session":1,"started_unix_ns":0,"provenance":"proxy","version":"1","arguments":""}],
         "files":[{"name":"timeline.jsonl","lines":LINES}]}
        """
    static let connection =
        #"{"connection":1,"session_id":1,"at_ns":0,"listener":"a:1","client":"b:2","mode":"reverse"}"#
    static let leg = #"{"leg":2,"connection_id":1,"peer":"client","at_ns":0,"host":"b","port":2}"#
    static let chunk =
        #"{"chunk":1,"connection_id":1,"leg_id":2,"sender":"client","origin":"peer","at_ns":1,"bytes":"GET "}"#

    static func prepare(_ world: TraceWorld, _ lines: [String], head: String = head) throws {
        try FileManager.default.createDirectory(
            atPath: world.path("r"), withIntermediateDirectories: true)
        try world.write(
            head.replacing("LINES", with: "\(lines.count)"), to: "r/recording.json")
        try world.write(lines.map { $0 + "\n" }.joined(), to: "r/timeline.jsonl")
    }

    /// Imports, and says what was wrong, without the folder.
    static func refusal(_ world: TraceWorld) throws -> FileError? {
        do {
            try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        } catch {
            // Nothing is left behind.
            #expect(try world.names.filter { $0 != "r" } == [])
            return FileError(
                error.code, error.reason.replacing(world.path("r") + "/", with: ""))
        }
        return nil
    }

    @Test func `takes what is right`() throws {
        let world = try TraceWorld()
        try Self.prepare(world, [Self.connection, Self.leg, Self.chunk])
        #expect(try Self.refusal(world) == nil)
        #expect(try world.rows("SELECT bytes FROM chunk", of: "b.tape") == ["GET "])
        #expect(try world.rows("SELECT after_chunk_id, step FROM leg", of: "b.tape") == ["0|2"])
    }

    static let patched = chunk.dropLast() + #","patches":[{"offset":"#

    @Test(
        arguments: [
            (["nonsense"], "timeline.jsonl:1: not a JSON value"),
            ([connection, "{\"leg\":"], "timeline.jsonl:2: JSON ends early"),
            (["[]"], "timeline.jsonl:1: a line is an object with members"),
            (["{}"], "timeline.jsonl:1: a line is an object with members"),
            ([#"{"id":1}"#], "timeline.jsonl:1: the first member names what it is"),
            ([#"{"session":1}"#], "timeline.jsonl:1: the first member names what it is"),
            ([connection, connection], "timeline.jsonl:2: a number is defined twice"),
            ([connection.replacing(":0", with: ":-1")], "timeline.jsonl:1: at_ns is -1"),
            (
                [connection.replacing(#""connection":1"#, with: #""connection":0"#)],
                "timeline.jsonl:1: id is 0"
            ),
            (
                [connection.replacing(":0", with: ":1.5")],
                "timeline.jsonl:1: at_ns is a whole number"
            ),
            (
                [connection.replacing(":0", with: ":9223372036854775808")],
                "timeline.jsonl:1: at_ns is a whole"
            ),
            (
                [connection.replacing("mode", with: "mood")],
                "timeline.jsonl:1: connection has no member mood"
            ),
            (
                [connection.replacing(#","mode":"reverse""#, with: "")],
                "timeline.jsonl:1: mode is missing"
            ),
            (
                [connection.replacing(#""mode""#, with: #""at_ns""#)],
                "timeline.jsonl:1: at_ns is defined twice"
            ),
            (
                [connection.replacing(#""session_id":1"#, with: #""session_id":2"#)],
                "timeline.jsonl:1: connection 1 is of a session"
            ),
            ([connection, leg, chunk, chunk], "timeline.jsonl:4: chunk 1 comes after chunk 1"),
            ([connection, chunk], "timeline.jsonl:2: chunk 1 is of a leg"),
            ([leg], "timeline.jsonl:1: leg 2 is of a connection"),
            (
                [connection, leg.replacing("client", with: "nobody")],
                "timeline.jsonl:2: peer is client or server"
            ),
            (
                [connection, leg.replacing(#""client""#, with: "5")],
                "timeline.jsonl:2: a number is defined twice, or a value cannot be"
            ),
            (
                [connection, leg, chunk.replacing(#""GET ""#, with: "7")],
                "timeline.jsonl:3: bytes are a string"
            ),
            (
                [connection, leg, chunk.replacing(#""GET ""#, with: #"{"base64":"*"}"#)],
                "timeline.jsonl:3: not base64"
            ),
            (
                [connection, leg, patched + #"5,"removed":0,"inserted":"","reason":"host"}]}"#],
                "timeline.jsonl:3: a patch ends beyond the 4 bytes"
            ),
            (
                [
                    connection, leg,
                    patched + #"1,"removed":9223372036854775807,"inserted":"","reason":"host"}]}"#,
                ], "timeline.jsonl:3: a patch ends beyond"
            ),
            (
                [connection, leg, patched + #"-1,"removed":0,"inserted":"","reason":"host"}]}"#],
                "timeline.jsonl:3: offset is -1"
            ),
            (
                [
                    connection, leg,
                    patched
                        + #"2,"removed":1,"inserted":"","reason":"host"},{"offset":2,"removed":0,"inserted":"","reason":"host"}]}"#,
                ], "timeline.jsonl:3: a patch begins within"
            ),
            (
                [
                    connection, leg,
                    patched + #"2,"removed":1,"inserted":"","reason":"host","more":1}]}"#,
                ], "timeline.jsonl:3: patch has no member more"
            ),
            (
                [connection, leg, chunk.dropLast() + #","patches":{}}"#],
                "timeline.jsonl:3: patches are an array"
            ),
            (
                [
                    connection, leg, chunk,
                    #"{"finding_statement":1,"session_id":1,"at_ns":0,"rule":"","severity":"","chunk_id":1,"offset":5,"message":"","expected":""}"#,
                ], "timeline.jsonl:4: finding_statement 1 points beyond"
            ),
            (
                [
                    connection, leg, chunk,
                    #"{"finding_statement":1,"session_id":1,"at_ns":0,"rule":"","severity":"","chunk_id":2,"offset":0,"message":"","expected":""}"#,
                ], "timeline.jsonl:4: finding_statement 1 points to a chunk"
            ),
            (
                [
                    connection, leg, chunk,
                    #"{"undecided_statement":1,"session_id":1,"at_ns":0,"rule":"","waited_ns":0,"chunk_id":2,"offset":0,"message":"","expected":""}"#,
                ], "timeline.jsonl:4: undecided_statement 1 points to a chunk"
            ),
            (
                [#"{"fault_verdict":4,"verdict":"","how":"","tries":0}"#],
                "timeline.jsonl:1: fault_verdict 4 is about a fault"
            ),
            (
                [
                    #"{"gap":1,"session_id":1,"at_ns":5,"until_ns":4,"bytes":0,"chunks":0,"reason":""}"#
                ], "timeline.jsonl:1: gap 1 ends before it begins"
            ),
            (
                [
                    #"{"event":1,"session_id":1,"at_ns":5,"kind":"raw","detail":"","after_chunk_id":1,"step":1}"#
                ], "timeline.jsonl:1: event 1 comes after a chunk"
            ),
            ([String(repeating: "[", count: 100)], "timeline.jsonl:1: JSON nests deeper than 8"),
        ] as [([String], String)])
    func `refuses lines that lie`(lines: [String], detail: String) throws {
        let world = try TraceWorld()
        try Self.prepare(world, lines)
        let error = try #require(try Self.refusal(world))
        #expect(error.code == .malformed)
        #expect(error.reason.hasPrefix(detail), "\(error.reason)")
    }

    @Test(
        arguments: [
            ("", .malformed, "recording.json:1: JSON ends early"),
            ("{\n\n\"format\": x}", .malformed, "recording.json:3: "),
            (#"{"format":"other","version":1}"#, .malformed, "recording.json:1: format is not"),
            (
                #"{"format":"tapedeck recording"}"#, .malformed,
                "recording.json:1: version is missing"
            ),
            (
                #"{"format":"tapedeck recording","version":5,"more":1}"#, .newerFormat,
                "recording.json has version 5"
            ),
            (
                #"{"format":"tapedeck recording","version":0}"#, .malformed,
                "recording.json has version 0"
            ),
            (
                #"{"format":"tapedeck recording","version":4}"#, .malformed,
                "recording.json:1: sessions is missing"
            ),
            (
                head.replacing("\"files\"", with: "\"more\":1,\"files\""), .malformed,
                "recording.json:3: no member more"
            ),
            (
                head.replacing("\"files\"", with: "\"sessions\":[],\"files\""), .malformed,
                "recording.json:3: sessions is defined twice"
            ),
            (
                head.replacing("\"files\"", with: "\"about\":[1],\"files\""), .malformed,
                "recording.json:3: not a string"
            ),
            (
                head.replacing(
                    "\"files\"", with: "\"counters\":[{\"counter\":\"leg\",\"next\":2}],\"files\""),
                .malformed, "recording.json: counter leg is 2"
            ),
            (
                head.replacing("timeline.jsonl", with: "../r/timeline.jsonl"), .malformed,
                "recording.json:3: a file is named"
            ),
            (head.replacing("LINES", with: "-1"), .malformed, "recording.json:3: a file has"),
            (
                head.replacing("LINES", with: "4"), .malformed,
                "timeline.jsonl:3: the file has 3 lines"
            ),
            (head.replacing("timeline", with: "other"), .cannotOpen, "other.jsonl cannot be read"),
            (
                head.replacing(#""arguments":"""#, with: #""seed":null"#), .malformed,
                "recording.json:2: "
            ),
            (
                head.replacing("\"version\":\"1\",", with: ""), .malformed,
                "recording.json:2: version is missing"
            ),
        ] as [(String, FileError.Code, String)])
    func `refuses heads`(head: String, code: FileError.Code, detail: String) throws {
        let world = try TraceWorld()
        try Self.prepare(world, [Self.connection, Self.leg, Self.chunk], head: head)
        let error = try #require(try Self.refusal(world))
        #expect(error.code == code)
        #expect(error.reason.hasPrefix(detail), "\(error.reason)")
    }

    @Test func `refuses what is not there, or no file`() throws {
        let world = try TraceWorld()
        #expect(try Self.refusal(world)?.code == .cannotOpen)
        try FileManager.default.createDirectory(
            atPath: world.path("r"), withIntermediateDirectories: false)
        #expect(try Self.refusal(world)?.code == .malformed)
        try Self.prepare(world, [])
        try FileManager.default.removeItem(atPath: world.path("r/timeline.jsonl"))
        #expect(try Self.refusal(world)?.code == .cannotOpen)
        #expect(mkfifo(world.path("r/timeline.jsonl"), 0o600) == 0)
        #expect(try Self.refusal(world)?.code == .malformed)
    }

    @Test func `refuses a file that is cut off and lines without end`() throws {
        let world = try TraceWorld()
        try Self.prepare(world, [Self.connection, Self.leg])
        try world.write(Self.connection + "\n" + Self.leg, to: "r/timeline.jsonl")
        #expect(
            try Self.refusal(world)?.reason.hasPrefix("timeline.jsonl:2: the line is cut") == true)
        let file = try LineFile(path: world.path("r/timeline.jsonl"), limit: 100)
        #expect(try file.next()?.count == Self.connection.utf8.count)
        try world.write(String(repeating: "x", count: 200_000), to: "long")
        #expect(throws: FileError(.malformed, "")) {
            try LineFile(path: world.path("long"), limit: 100_000).next()
        }
    }

    @Test(arguments: 0..<4) func `damaged recordings give a trace or a refusal`(
        seed: UInt64
    ) throws {
        let world = try TraceWorld()
        try RecordingTests.record(world)
        try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
        let names = ["recording.json", "timeline.jsonl"]
        let whole = try names.map { Array(try world.text("r/" + $0).utf8) }
        var random = SplitMix64(seed: seed)
        var accepted = 0
        for _ in 0..<25 {
            for (name, bytes) in zip(names, whole) {
                var bytes = bytes
                if name == "timeline.jsonl" || Int.random(in: 0..<4, using: &random) == 0 {
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        let place = Int.random(in: 0..<bytes.count, using: &random)
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                        case 1: bytes.remove(at: place)
                        case 2:
                            bytes.insert(UInt8.random(in: 0x30...0x39, using: &random), at: place)
                        default:
                            let digit = bytes[place...].firstIndex { $0 & 0xF0 == 0x30 }
                            if let digit { bytes[digit] = 0x39 }
                        }
                    }
                }
                try Data(bytes).write(to: URL(fileURLWithPath: world.path("r/" + name)))
            }
            do {
                try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
                accepted += 1
                #expect(try world.rows("PRAGMA integrity_check", of: "b.tape") == ["ok"])
                try FileManager.default.removeItem(atPath: world.path("b.tape"))
            } catch let error as FileError {
                #expect(error.code != .storage, "\(error)")
            }
            #expect(try world.names == ["a.tape", "r"])
        }
        #expect(accepted < 25)
    }

    @Test func `never touches a trace that is there`() throws {
        let world = try TraceWorld()
        try Self.prepare(world, [])
        try world.write("mine", to: "b.tape")
        #expect(throws: FileError(.cannotOpen, "")) {
            try RecordingImport.run(from: world.path("r"), to: world.path("b.tape"))
        }
        #expect(try world.text("b.tape") == "mine")
        #expect(throws: FileError(.cannotOpen, "")) {
            try RecordingImport.run(from: world.path("r"), to: world.path("none/b.tape"))
        }
    }

    @Test func `export writes over nothing but a recording, and only when told`() throws {
        let world = try TraceWorld()
        try RecordingTests.record(world)
        let manager = FileManager.default
        func export(_ folder: String, about: String? = nil, replaces: Bool = true) throws {
            try RecordingExport.run(
                from: world.path("a.tape"), to: world.path(folder), about: about,
                replaces: replaces)
        }
        try manager.createDirectory(
            atPath: world.path("empty"), withIntermediateDirectories: false)
        let node = try manager.attributesOfItem(atPath: world.path("empty"))[.systemFileNumber]
        try export("empty", replaces: false)
        // Somebody may be in it: it is filled, and not another one put in its place.
        let filled = try manager.attributesOfItem(atPath: world.path("empty"))[.systemFileNumber]
        #expect(node as? Int == filled as? Int)
        #expect(
            try manager.contentsOfDirectory(atPath: world.path("empty")).sorted()
                == ["recording.json", "timeline.jsonl"])
        try manager.createDirectory(
            atPath: world.path("other"), withIntermediateDirectories: false)
        try world.write("mine", to: "other/file")
        #expect(throws: FileError(.malformed, "")) { try export("other") }
        #expect(throws: FileError(.cannotOpen, "")) { try export("a.tape") }
        try export("r", about: "Once.", replaces: false)
        #expect(throws: FileError(.cannotOpen, "")) { try export("r", replaces: false) }
        let text = try world.text("r/recording.json")
        try world.write("mine", to: "r/session.py")
        _ = try world.rows("UPDATE mark SET name = 'other'")
        try export("r")
        #expect(try world.text("r/recording.json") == text)
        #expect(try world.text("r/timeline.jsonl").contains(#""name":"other""#))
        #expect(try world.text("r/session.py") == "mine")
        try export("r", about: "Twice.")
        #expect(try world.text("r/recording.json").contains("Twice."))
        #expect(try world.names == ["a.tape", "empty", "other", "r"])
    }

    @Test func `export refuses what is no trace, or a damaged one`() throws {
        let world = try TraceWorld()
        func code() -> FileError.Code? {
            do {
                try RecordingExport.run(from: world.path("a.tape"), to: world.path("r"))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code() == .cannotOpen)
        try world.write("no trace", to: "a.tape")
        #expect(code() == .malformed)
        try FileManager.default.removeItem(atPath: world.path("a.tape"))
        try RecordingTests.record(world)
        _ = try world.rows("UPDATE chunk SET at_ns = -1 WHERE id = 2")
        #expect(code() == .malformed)
        _ = try world.rows("UPDATE chunk SET at_ns = 1 WHERE id = 2")
        _ = try world.rows("UPDATE patch SET id = id + 1")
        #expect(code() == .malformed)
        _ = try world.rows("UPDATE patch SET id = 1, chunk_id = 0")
        #expect(code() == .malformed)
        #expect(try world.names == ["a.tape"])
    }
}
