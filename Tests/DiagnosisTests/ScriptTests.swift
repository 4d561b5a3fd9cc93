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
        script.rule("command:h sender:server => wrong-heartbeat by=4")
        script.client(socket, "h:0", at: 0.3)
        script.server(socket, "h:1", at: 0.4)
        let evidence = script.evidence()
        var commands: [CommandEvidence] = []
        for case .command(let command) in evidence { commands.append(command) }
        #expect(commands.map(\.row.name) == ["init", "auth", "cv", "h", "h"])
        #expect(commands.map(\.origin) == [.peer, .peer, .lost, .peer, .altered])
        #expect(commands.last?.said?.text == Array("h:1".utf8))
        #expect(zip(evidence, evidence.dropFirst()).allSatisfy { $0.at <= $1.at })
    }

    @Test func `only a session that almost breaks a rule is a near miss`() {
        let rule = SimperiumSessionRules.heartbeatOnChannel
        func miss(_ write: (inout SessionScript, ConnectionID) -> Void) -> NearMiss? {
            var (broken, script) = (SessionScript(), SessionScript())
            broken.client(broken.synced(), "0:h:1", at: 1)
            let socket = script.synced()
            write(&script, socket)
            return NearMiss(of: rule, script, among: [broken])
        }
        #expect(miss { $0.client($1, "h:1", at: 1) } == .like(0))
        #expect(miss { $0.lose($1, .client, "0:h:1", at: 1) } == .calm)
        // A fault that has nothing to do with it.
        #expect(miss { $0.lose($1, .client, "h:1", at: 1) } == nil)
        #expect(
            miss { script, socket in
                for number in 0..<4 { script.editAndTell(socket, "k\(number)", at: 1) }
                script.server(socket, "0:index", at: 2)
                script.server(socket, "log:1", at: 3)
                script.client(socket, #"log:{"log":"x"}"#, at: 3.1)
            } == nil)
    }
}
