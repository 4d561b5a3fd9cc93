import Capturing
import Testing
import Wire

@Suite("Bytes that are not in the capture are told, with their number and place")
struct StreamsMissingTests {
    @Test("They are given up some segments after their acknowledgment, and not before")
    func graceInSegments() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(0, "abc")
        #expect(play.client(10, "klm").isEmpty)
        var said = play.server(0, ack: 13)
        for _ in 0..<63 { said += play.server(0, ack: 13) }
        #expect(said.isEmpty)
        #expect(play.server(0, ack: 13) == ["client lacks 7", "client klm"])
        #expect(play.client(3, "defghij").isEmpty)
        #expect(play.counts.discarded == [.late: 7])
        #expect(play.counts.missing == 7)
        #expect(play.counts.isBalanced)
    }

    @Test("They are given up some time after their acknowledgment, by the clock of the capture")
    func graceInTime() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(4, "efg")
        #expect(play.server(0, ack: 7).isEmpty)
        #expect(play.wait(999_999_999).isEmpty)
        #expect(play.wait(1) == ["client lacks 4", "client efg"])
    }

    @Test("What is not acknowledged may still come")
    func notAcknowledged() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(4, "efg")
        #expect(play.wait(3_600_000_000_000).isEmpty)
        #expect(play.client(0, "abcd") == ["client abcd", "client efg"])
    }

    @Test("Where the other end was never seen, time or memory decides")
    func neverAcknowledged() {
        var limits = StreamLimits()
        limits.unacknowledged = 1000
        var play = Play(limits: limits)
        _ = play.client(0, ack: nil, flags: .syn)
        _ = play.wait(2_000_000_000)
        #expect(play.client(4, "efg", ack: nil).isEmpty)
        #expect(play.wait(9_999_999_999).isEmpty)
        #expect(play.wait(2) == ["client lacks 4", "client efg"])
        let text = String(repeating: "-", count: 100)
        var said: [String] = []
        for part in 0..<5 { said += play.client(10 + 100 * part, text, ack: nil) }
        #expect(said.first == "client lacks 3")
        #expect(said.count == 6)
    }

    @Test("What is acknowledged at the end and was never seen is told as well")
    func trailing() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(0, "abc")
        #expect(play.server(0, ack: 9).isEmpty)
        #expect(play.finish() == ["client lacks 6", "capture-ended"])
    }

    @Test("One byte at the end is taken for a FIN, until something comes behind it")
    func presumedFIN() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(0, "abc")
        _ = play.server(0, "xyz", ack: 4)
        #expect(play.wait(1_000_000_000) == ["server xyz"])
        #expect(play.counts.missing == 0)
        #expect(play.client(4, "e", ack: 3).isEmpty)
        #expect(play.wait(1_000_000_000) == ["client lacks 1", "client e"])
    }

    @Test("A segment that was captured in part is missing the rest")
    func cutOff() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(0, "abc", cutOff: 7) == ["client abc", "client lacks 7"])
        #expect(play.client(10, "klm", flags: .fin) == ["client klm", "client ends"])
        #expect(play.counts.cutOff == 7)
        #expect(play.counts.missing == 7)
    }

    @Test("What was cut off is taken from another segment that has it in time")
    func cutOffFilled() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(3, "d", cutOff: 6).isEmpty)
        #expect(play.client(5, "fg").isEmpty)
        #expect(
            play.client(0, "abc")
                == ["client abc", "client d", "client lacks 1", "client fg", "client lacks 3"])
        #expect(play.counts.cutOff == 4)
        #expect(play.counts.isBalanced)
    }

    @Test("When a direction has too much that waits, it stops waiting")
    func bounded() {
        var limits = StreamLimits()
        limits.piecesOfDirection = 3
        var play = Play(limits: limits)
        _ = play.shakeHands()
        for place in [2, 4, 6] { #expect(play.client(place, "x").isEmpty) }
        #expect(
            play.client(8, "x")
                == ["client lacks 2", "client x"])
    }

    @Test("When all connections have too much that waits, those that wait longest stop waiting")
    func boundedInAll() {
        var limits = StreamLimits()
        limits.waiting = 3 * (StreamLimits.overhead + 100) + StreamLimits.overhead
        var play = Play(limits: limits)
        let text = String(repeating: "-", count: 100)
        var said: [[String]] = []
        for port in UInt16(1)...4 {
            play.ends[0].port = 50000 + port
            _ = play.shakeHands()
            said.append(play.client(7, text))
        }
        #expect(said == [[], [], [], ["client lacks 7", "client \(text)"]])
        #expect(play.assembler.bytesKept <= limits.waiting)
    }
}
