import Foundation
import Simperium
import Testing
import Wire

@testable import Diagnosis

/// Causes that are those of the client's own library.
@Suite struct LibraryCausesTests {
    /// The cause of a cv that is asked with again, by a client that calls itself so.
    private static func cause(_ rest: String, clientID: String = "c-1") throws -> String? {
        var script = SessionScript()
        let socket = script.socket(at: 0)
        script.client(
            socket,
            #"0:init:{"name":"note","clientid":"\#(clientID)","token":"t","app_id":"app"\#(rest)}"#,
            at: 0.1)
        script.server(socket, "0:auth:user@example.com", at: 0.2)
        for second in [1.0, 11.0] {
            script.client(socket, "0:cv:old", at: second)
            script.server(socket, "0:cv:?", at: second + 0.1)
        }
        return try #require(
            script.findings().first { $0.rule == SimperiumSessionRules.unknownRepeated }
        ).cause
    }

    @Test func `a finding has the cause in the library that its client names`() throws {
        let rule = SimperiumSessionRules.unknownRepeated
        let android = try Self.cause(#","api":"1.1","library":"android","version":"1""#)
        #expect(android?.hasPrefix("simperium-android: ") == true)
        let ios = try Self.cause(#","api":"1.1","library":"ios","version":"1.9.0""#)
        #expect(ios?.hasPrefix("simperium-ios: ") == true)
        // Nothing is known of these there.
        let node = try Self.cause(#","api":"1.1","library":"node-simperium","version":"1""#)
        #expect(node == rule.cause)
        #expect(try Self.cause(#","api":"1.1","library":"mine","version":"1""#) == rule.cause)
        #expect(try Self.cause("", clientID: "sjs-1") == rule.cause)
    }

    @Test func `lanes say the same`() throws {
        var script = SessionScript()
        let socket = script.socket(at: 0)
        script.client(socket, SessionScript.initiation(rest: #","library":"ios""#), at: 1)
        script.client(socket, "0:cv:", at: 2)
        var lanes = (0..<DiagnosisLane.count).map { DiagnosisLane($0) }
        var joined = Diagnosis()
        joined.join(lanes.indices.map { lanes[$0].observe(script.evidence()) })
        var whole = Diagnosis()
        for item in script.evidence() { whole.observe(item) }
        #expect(joined.findings.map(\.cause) == whole.findings.map(\.cause))
    }

    @Test(arguments: LibraryCauses.all.keys.sorted())
    func `the catalogue names the library`(entry: String) throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Diagnosis/Catalogue.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let sections = text.split(separator: "\n### ")
        let section = try #require(sections.first { $0.hasPrefix(entry.uppercased() + "\n") })
        for library in try #require(LibraryCauses.all[entry]).keys {
            #expect(section.contains(library.rawValue), "\(library.rawValue)")
        }
        #expect(Rules.all.contains { Harm.entry(of: $0.source) == entry })
    }
}
