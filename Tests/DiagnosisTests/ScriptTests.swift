import Dissection
import Testing
import Wire

@testable import Diagnosis

@Suite struct ScriptTests {
    @Test func `a well-behaved session has no findings and is told in order`() {
        var script = SessionScript()
        let socket = script.socket(at: 0)
        script.open(socket, at: 0.1)
        script.lose(socket, .client, "0:cv:abc", at: 0.2)
        script.alter(
            socket, .server, said: "0:c:[]", heard: "0:cv:?", action: "cv-unknown", at: 0.3)
        let evidence = script.evidence()
        var commands: [CommandEvidence] = []
        for case .command(let command) in evidence { commands.append(command) }
        #expect(commands.map(\.row.name) == ["init", "auth", "cv", "cv"])
        #expect(commands.map(\.origin) == [.peer, .peer, .lost, .altered])
        #expect(commands.last?.said?.text == Array("0:c:[]".utf8))
        #expect(zip(evidence, evidence.dropFirst()).allSatisfy { $0.at <= $1.at })
    }
}
