import Testing
import Wire

struct VocabularyTests {
    @Test func `each peer has the other`() {
        #expect(Peer.client.other == .server)
        #expect(Peer.server.other == .client)
        #expect(Peer.allCases.map(\.description) == ["client", "server"])
        #expect(Peer.allCases.map(\.rawValue) == [0, 1])
    }

    @Test func `instants are ordered by their nanoseconds`() {
        #expect(Instant.zero < Instant(nanoseconds: 1))
        #expect(Instant(nanoseconds: 5) == Instant(nanoseconds: 5))
    }

    @Test func `identifiers count up and are ordered`() {
        let first = ChunkID(1)
        #expect(first.next == ChunkID(2))
        #expect(first < first.next)
        #expect("\(first.next)" == "2")
    }

    @Test func `the receiver gets a chunk with its patches`() {
        var chunk = Chunk(
            connection: ConnectionID(1), leg: LegID(1), sender: .client, at: .zero,
            bytes: Array("Host: a".utf8))
        #expect(chunk.received == chunk.bytes)
        #expect(chunk.origin == .peer)
        chunk.patches = [Patch(offset: 6, removed: 1, inserted: Array("b:80".utf8), reason: .host)]
        #expect(String(decoding: chunk.received, as: UTF8.self) == "Host: b:80")
        #expect(String(decoding: chunk.bytes, as: UTF8.self) == "Host: a")
    }

    @Test func `effects are read as they are written`() {
        #expect("\(FaultEffect())" == "none")
        #expect(FaultEffect("none") == [])
        #expect("\(FaultEffect([.ended, .lost]))" == "lost ended")
        #expect(FaultEffect("lost of-later ended") == [.lost, .ended])
        for item in FaultEffect.named { #expect(FaultEffect(item.name) == item.effect) }
        let all = FaultEffect(FaultEffect.named.map(\.effect))
        #expect(FaultEffect("\(all)") == all)
        #expect(all.rawValue == (1 << FaultEffect.named.count) - 1)
    }

    @Test func `event kinds have stable names`() {
        #expect(EventRow.Kind.tlsFailed.rawValue == "tls-failed")
        #expect(EventRow.Kind.sessionEnded.rawValue == "session-ended")
        #expect(
            GapRow.Reason.allCases.map(\.rawValue) == [
                "disk-full", "evicted", "not-captured", "encrypted", "locked", "trace-lost",
            ])
        #expect(
            FindingRow.Severity.allCases.map(\.rawValue) == ["error", "warning", "info"])
    }
}
