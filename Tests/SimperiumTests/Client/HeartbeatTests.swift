import Simperium
import Testing
import Wire

/// Diagnosis/Catalogue.md#r48, #r49, #r50, #r51.
@Suite struct HeartbeatTests {
    private func second(_ count: Int64) -> Instant { Instant(nanoseconds: count * 1_000_000_000) }

    /// Proves: S-50, S-51.
    @Test func `beats after 20 s of silence, with the server's number plus one`() {
        var heartbeat = Heartbeat(at: .zero)
        #expect(heartbeat.timePassed(at: second(19)) == [.setTimer(second(20))])
        #expect(
            heartbeat.timePassed(at: second(20))
                == [.send(SimperiumMessage(nil, .heartbeat(0))), .setTimer(second(30))])
        heartbeat.received(SimperiumMessage(nil, .heartbeat(1)), at: second(21))
        #expect(heartbeat.timePassed(at: second(30)) == [.setTimer(second(41))])
        heartbeat.received(SimperiumMessage(0, .changes([])), at: second(35))
        #expect(heartbeat.timePassed(at: second(41)) == [.setTimer(second(55))])
        #expect(
            heartbeat.timePassed(at: second(55)).first
                == .send(SimperiumMessage(nil, .heartbeat(2))))
    }

    /// Proves: S-52.
    @Test func `asks for another socket when it is not answered`() {
        var heartbeat = Heartbeat(at: second(100))
        _ = heartbeat.timePassed(at: second(120))
        #expect(heartbeat.timePassed(at: second(129)) == [.setTimer(second(130))])
        #expect(heartbeat.timePassed(at: second(130)) == [.reconnect])
    }

    @Test func `waits as long for an answer when it beat late`() {
        var heartbeat = Heartbeat(at: .zero)
        #expect(heartbeat.timePassed(at: second(35)).last == .setTimer(second(45)))
        #expect(heartbeat.timePassed(at: second(44)) == [.setTimer(second(45))])
        #expect(heartbeat.timePassed(at: second(45)) == [.reconnect])
    }

    @Test func `counts from the start again where there is no larger number`() {
        var heartbeat = Heartbeat(at: .zero)
        heartbeat.received(SimperiumMessage(nil, .heartbeat(.max)), at: .zero)
        #expect(heartbeat.next == 0)
    }

    @Test func `pauses double up to the longest and begin anew after a success`() {
        var schedule = ReconnectSchedule(first: 1000, longest: 6000)
        #expect((0..<5).map { _ in schedule.fail() } == [1000, 2000, 4000, 6000, 6000])
        #expect(schedule.pause(after: 1_000_000) == 6000)
        schedule.succeed()
        #expect(schedule.fail(jitter: 0) == 500)
        #expect(schedule.fail(jitter: 0.5) == 1500)
    }
}
