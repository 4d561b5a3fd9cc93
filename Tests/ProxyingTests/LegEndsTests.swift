import Testing

@testable import Proxying

@Suite struct LegEndsTests {
    private enum Step: CaseIterable { case endPeer, endRelay, close }

    @Test func `each direction ends once, and a connection that is gone ends both`() {
        let steps = Step.allCases
        for number in 0..<81 {
            var ends = LegEnds.neither
            var (isPeerOver, isRelayOver, isClosed) = (false, false, false)
            for place in 0..<4 {
                let isNews: Bool
                let expected: Bool
                switch steps[number / [1, 3, 9, 27][place] % 3] {
                case .endPeer:
                    (isNews, expected) = (ends.endPeer(), !isPeerOver)
                    isPeerOver = true
                case .endRelay:
                    (isNews, expected) = (ends.endRelay(), !isRelayOver)
                    isRelayOver = true
                case .close:
                    (isNews, expected) = (ends.close(), !isClosed)
                    (isPeerOver, isRelayOver, isClosed) = (true, true, true)
                }
                #expect(isNews == expected)
                #expect(ends.isPeerOver == isPeerOver)
                #expect(ends.isRelayOver == isRelayOver)
                #expect((ends == .closed) == isClosed)
            }
        }
    }

    @Test func `a message ends only after its final head, and framing is given up for good`() {
        var scan = MessageScan()
        var ended: [Bool] = []
        ended.append(scan.messageEnded())
        scan.headEnded(isFinal: false)
        #expect(scan.position == .head)
        ended.append(scan.messageEnded())
        scan.headEnded()
        #expect(scan.isInBody)
        ended.append(scan.messageEnded())
        ended.append(scan.messageEnded())
        scan.giveUpFraming()
        scan.headEnded()
        ended.append(scan.messageEnded())
        #expect(ended == [false, false, true, false, false])
        #expect(!scan.isFramed)
        #expect(!scan.holdsNothing)
    }
}
