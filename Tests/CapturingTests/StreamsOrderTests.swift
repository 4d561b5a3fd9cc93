import Capturing
import Testing
import Wire

@Suite("Bytes come in order and once, however the segments come")
struct StreamsOrderTests {
    private static let opened = "opened by 10.0.0.1:50000"

    @Test func inOrder() {
        var play = Play()
        #expect(play.shakeHands() == [Self.opened])
        #expect(play.client(0, "GET /") == ["client GET /"])
        #expect(play.server(0, ack: 5).isEmpty)
        #expect(play.server(0, "200", ack: 5) == ["server 200"])
        #expect(play.client(5, ack: 3, flags: .fin) == ["client ends"])
        #expect(play.server(3, "!", ack: 6, flags: .fin) == ["server !", "server ends", "closed"])
        #expect(play.client(6, ack: 5).isEmpty)
        #expect(play.finish().isEmpty)
        #expect(play.counts.delivered == 9)
        #expect(play.counts.withHandshake == 1)
    }

    @Test func outOfOrder() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(6, "cde").isEmpty)
        #expect(play.client(3, "xyz").isEmpty)
        #expect(play.counts.waiting == 6)
        #expect(play.client(0, "abc") == ["client abc", "client xyz", "client cde"])
        #expect(play.counts.waiting == 0)
    }

    @Test("The chunk keeps the time of the packet that first had its last byte")
    func times() {
        var play = Play()
        _ = play.shakeHands()
        var events: [StreamEvent] = []
        func segment(_ place: UInt32, _ text: String, at time: Int64) -> TCPSegment {
            TCPSegment(
                source: Play.client, destination: Play.server, sequence: 1001 + place,
                acknowledgment: 77_001, flags: .ack, payload: Array(text.utf8)[...],
                atUnixNanoseconds: time)
        }
        play.assembler.consume(segment(3, "def", at: 30), into: &events)
        play.assembler.consume(segment(0, "abcdef", at: 40), into: &events)
        let times = events.compactMap { event -> Int64? in
            guard case .bytes(_, _, let time, _) = event else { return nil }
            return time
        }
        #expect(times == [40, 30])
    }

    @Test func retransmitted() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(0, "abcdef")
        #expect(play.client(0, "abcdef").isEmpty)
        #expect(play.client(3, "def").isEmpty)
        #expect(play.client(4, "efgh") == ["client gh"])
        #expect(play.counts.duplicate == 11)
        #expect(play.counts.isBalanced)
    }

    @Test("Of copies that differ the first wins, and the others are counted")
    func conflicting() {
        var play = Play()
        _ = play.shakeHands()
        _ = play.client(3, "def")
        #expect(play.client(2, "cDEf").isEmpty)
        #expect(play.counts.conflicting == 2)
        #expect(play.counts.duplicate == 1)
        #expect(play.client(0, "ab") == ["client ab", "client c", "client def"])
        #expect(play.counts.isBalanced)
    }

    /// Both pieces wait for the byte before them, and overlap in every way there is.
    @Test func overlaps() {
        for first in 1..<8 {
            for firstEnd in first + 1...8 {
                for second in 1..<8 {
                    for secondEnd in second + 1...8 {
                        let stream = Array("abcdefgh".utf8)
                        let text = { (range: Range<Int>) in
                            String(decoding: stream[range], as: UTF8.self)
                        }
                        var play = Play()
                        _ = play.shakeHands()
                        var said = play.client(first, text(first..<firstEnd))
                        said += play.client(second, text(second..<secondEnd))
                        said += play.client(0, "abcdefgh")
                        #expect(
                            said.map { $0.dropFirst(7) }.joined() == "abcdefgh",
                            "\(first..<firstEnd) and \(second..<secondEnd): \(said)")
                        #expect(play.counts.isBalanced && play.counts.conflicting == 0)
                    }
                }
            }
        }
    }

    @Test("Probes of a closed window and of an idle connection bring nothing new")
    func probes() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(-1).isEmpty)
        #expect(play.client(-1, "?").isEmpty)
        _ = play.client(0, "abc")
        #expect(play.client(2, "?", ack: 0).isEmpty)
        #expect(play.server(0, ack: 3).isEmpty)
        #expect(play.finish() == ["capture-ended"])
        #expect(play.counts.missing == 0)
        #expect(play.counts.isBalanced)
    }

    @Test("Sequence numbers begin again at 0, and the stream goes on", arguments: [0, 1, 2, 3, 7])
    func wrapsAround(before: UInt32) {
        var play = Play([0 &- before, 0 &- 2])
        #expect(play.shakeHands() == [Self.opened])
        #expect(play.client(3, "def").isEmpty)
        #expect(play.client(0, "abc") == ["client abc", "client def"])
        #expect(play.server(0, "xyz", ack: 6) == ["server xyz"])
        #expect(play.client(2, "cdefg", ack: 3) == ["client g"])
    }

    @Test("A connection may carry more than there are sequence numbers")
    func wrapsAroundSeveralTimes() {
        var play = Play()
        _ = play.shakeHands()
        let step = 500 << 20
        for round in 0..<20 {
            // Bytes that nobody captured, and three that somebody did.
            let place = round * step
            #expect(play.server(0, ack: place).isEmpty)
            let said = play.client(place, "abc") + play.wait(1_000_000_000)
            let lacks = round == 0 ? [] : ["client lacks \(step - 3)"]
            #expect(said == lacks + ["client abc"])
        }
        #expect(play.counts.missing == Int64(19 * (step - 3)))
    }

    @Test("A SYN and a FIN may carry bytes")
    func bytesWithSYNAndFIN() {
        var play = Play()
        #expect(play.client(0, "abc", ack: nil, flags: .syn).isEmpty)
        #expect(
            play.server(0, "xy", ack: 3, flags: .syn) == [Self.opened, "client abc", "server xy"])
        #expect(play.client(3, "d", ack: 2, flags: .fin) == ["client d", "client ends"])
        #expect(play.client(4, "more", ack: 2).isEmpty)
        #expect(play.counts.discarded == [.afterEnd: 4])
    }

    @Test("What was sent far from everything else is not used")
    func outsideWindow() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(0x5000_0000, "lost").isEmpty)
        #expect(play.client(-0x5000_0000, "lost").isEmpty)
        #expect(play.counts.discarded == [.outsideWindow: 8])
        #expect(play.client(0, "abc") == ["client abc"])
    }
}

@Suite("An answer never comes before its question")
struct StreamsCausalityTests {
    @Test("The capture has the answer first")
    func capturedFirst() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.server(0, "200", ack: 3).isEmpty)
        #expect(play.client(0, "GET") == ["client GET", "server 200"])
    }

    @Test("A part of the question is missing")
    func missingPart() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(2, "T /").isEmpty)
        #expect(play.server(0, "200", ack: 5).isEmpty)
        #expect(play.client(5, "GET /2", ack: 3).isEmpty)
        #expect(
            play.wait(1_000_000_000)
                == ["client lacks 2", "client T /", "server 200", "client GET /2"])
    }

    @Test("The question comes once more, and only that was captured")
    func questionAgain() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.server(0, "200", ack: 3).isEmpty)
        // Its acknowledgment is newer than the question.
        #expect(play.client(0, "GET", ack: 3) == ["client GET", "server 200"])
    }

    @Test("Two questions come once more in one segment: the answer is between them")
    func questionsAgain() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.server(0, "200", ack: 5).isEmpty)
        #expect(
            play.client(0, "GET 1GET 2", ack: 3)
                == ["client GET 1", "server 200", "client GET 2"])
    }

    @Test("What an end had received is known from all that it sent")
    func acknowledgmentBefore() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(5, ack: 0).isEmpty)
        // A copy, as the first one was sent no later than the segment before.
        #expect(play.client(0, "GET 1", ack: 3) == ["client GET 1"])
        #expect(play.server(0, "200", ack: 5) == ["server 200"])
    }

    @Test("What was not acknowledged does not wait")
    func independent() {
        var play = Play()
        _ = play.shakeHands()
        #expect(play.client(2, "c").isEmpty)
        #expect(play.server(0, "early", ack: 0) == ["server early"])
    }

    @Test("Only one end was captured: each answer comes after the size of its question")
    func oneEnd() {
        var play = Play()
        var said = play.server(0, flags: .syn)
        for round in 0..<3 {
            said += play.server(round * 3, "200", ack: round * 5 + 5)
        }
        said += play.finish()
        #expect(
            said == [
                "opened by 10.0.0.1:50000", "client lacks 5", "server 200", "client lacks 5",
                "server 200", "client lacks 5", "server 200", "capture-ended",
            ])
    }
}
