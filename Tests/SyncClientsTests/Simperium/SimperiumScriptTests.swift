import Notation
import Testing
import Wire

@testable import SyncClients

@Suite struct SimperiumScriptTests {
    private func script(_ text: String) throws -> SimperiumScript {
        try SimperiumScript(parsing: text, buckets: ["notes"])
    }

    @Test func `reads every step`() throws {
        let script = try script(
            """
            # comment

            set notes k {"a": 1}
            at 1.5s delete notes k
              cut
            offline
            online
            wait synced
            wait connected
            wait 500ms
            wait notes k missing
            expect notes k {"a":1}
            print notes k
            """)
        let data = try JSONValue(parsing: #"{"a":1}"#)
        #expect(
            script.steps.map(\.action) == [
                .set(bucket: "notes", key: "k", data: data), .delete(bucket: "notes", key: "k"),
                .cut, .offline, .online, .waitSynced, .waitConnected,
                .pause(500_000_000), .waitFor(bucket: "notes", key: "k", data: nil),
                .expect(bucket: "notes", key: "k", data: data), .print(bucket: "notes", key: "k"),
            ])
        #expect(script.steps.compactMap(\.time) == [1_500_000_000])
        #expect(script.steps.first?.line == 3)
    }

    @Test func `reads lines that end with CR LF`() throws {
        let script = try script("# comment\r\ncut\r\n\r\noffline\r\n")
        #expect(script.steps.map(\.action) == [.cut, .offline])
        #expect(script.steps.map(\.line) == [2, 4])
    }

    @Test(arguments: [
        "jump", "set", "set notes", "set notes k", "set notes k 1", "set notes k {",
        "set tags k {}",
        "at", "at 2s", "at 2 cut", "at -1s cut", "at xs cut", "wait", "wait tags k {}", "wait 5",
        "wait 5s more", "cut now",
        "wait notes", "expect notes k", "delete notes k k",
    ])
    func `refuses what is no step, with its line`(text: String) {
        #expect {
            try script("online\n" + text)
        } throws: { error in
            (error as? SimperiumScript.Problem)?.line == 2
        }
    }

    @Test func `waits until its time has come`() throws {
        var runner = SimperiumScriptRunner(try script("at 2s cut\n"), patience: 1_000_000_000)
        let session = Playbook().session
        #expect(runner.turn([], session, at: .zero) == [.event(.online)])
        let due = Instant(nanoseconds: 2_000_000_000)
        #expect(runner.turn([], session, at: .zero) == [.wake(due)])
        #expect(runner.turn([], session, at: due) == [.event(.cut)])
        #expect(runner.turn([], session, at: due) == [.finish(.done)])
    }

    @Test func `waits for a time that is counted from its step on`() throws {
        var runner = SimperiumScriptRunner(try script("offline\nwait 2s\ncut\n"), patience: 1)
        let session = Playbook().session
        let (begun, due) = (Instant(nanoseconds: 5), Instant(nanoseconds: 2_000_000_005))
        #expect(runner.turn([], session, at: .zero) == [.event(.offline)])
        #expect(runner.turn([], session, at: begun) == [.wake(due)])
        #expect(runner.turn([], session, at: Instant(nanoseconds: 9)) == [.wake(due)])
        #expect(runner.turn([], session, at: due) == [.event(.cut)])
    }

    @Test func `does not wait for ever`() throws {
        var runner = SimperiumScriptRunner(try script("offline\nwait synced\n"), patience: 1)
        let session = Playbook().session
        #expect(runner.turn([], session, at: .zero) == [.event(.offline)])
        #expect(runner.turn([], session, at: .zero) == [.wake(Instant(nanoseconds: 1))])
        #expect(
            runner.turn([], session, at: Instant(nanoseconds: 1)) == [
                .finish(.failed("line 2: timed out after 0 ms"))
            ])
    }
}
