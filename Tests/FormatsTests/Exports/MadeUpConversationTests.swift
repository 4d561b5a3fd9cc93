import Capturing
import Testing
import Wire

@testable import Formats

@Suite("TCP made up around bytes") struct MadeUpConversationTests {
    private static let client = Endpoint(IPAddress(version4: 0x0A00_0001), 50_000)
    private static let server = Endpoint(IPAddress(version4: 0xC612_0001), 443)

    private static func conversation(_ number: Int64 = 1) -> SynthesizedConversation {
        SynthesizedConversation(client: client, server: server, number: number)
    }

    @Test func `begins with three segments whose numbers fit`() {
        var made = Self.conversation()
        let segments = made.open(at: 7)
        #expect(segments.map(\.flags) == [.syn, [.syn, .ack], .ack])
        #expect(segments.map(\.source) == [Self.client, Self.server, Self.client])
        #expect(segments[1].acknowledgment == segments[0].sequence &+ 1)
        #expect(segments[2].acknowledgment == segments[1].sequence &+ 1)
        #expect(segments[2].sequence == segments[0].sequence &+ 1)
        #expect(segments.allSatisfy { $0.atUnixNanoseconds == 7 })
        #expect(made.open(at: 8).isEmpty)
    }

    @Test func `cuts bytes into segments, each acknowledged`() {
        var made = Self.conversation()
        let start = made.open(at: 0)[2]
        let segments = made.send(Array(0..<10), from: .client, at: 1, longest: 4)
        #expect(segments.map(\.payload.count) == [4, 0, 4, 0, 2, 0])
        #expect(segments[0].sequence == start.sequence)
        #expect(segments[4].sequence == start.sequence &+ 8)
        #expect(segments[5].acknowledgment == start.sequence &+ 10)
        #expect(segments[5].source == Self.server)
    }

    @Test(arguments: [1, SynthesizedConversation.longestJump + 1, 5 << 30] as [Int64])
    func `leaves out the numbers of what is missing, also beyond all of them`(count: Int64) {
        var made = Self.conversation()
        let start = made.open(at: 0)[2]
        let gap = made.miss(count, from: .client, at: 1)
        let next = made.send([1], from: .client, at: 2)[0]
        #expect(next.sequence == start.sequence &+ UInt32(truncatingIfNeeded: count))
        // No jump may look like one backwards.
        var acknowledged = start.sequence
        for segment in gap {
            #expect(segment.source == Self.server)
            #expect(Int32(bitPattern: segment.acknowledgment &- acknowledged) > 0)
            acknowledged = segment.acknowledgment
        }
        #expect(acknowledged == next.sequence)
    }

    @Test func `takes no time for a gap that cannot be`() {
        var made = Self.conversation()
        #expect(made.miss(.max, from: .server, at: 1).count <= 1_024)
    }

    @Test func `ends each side once`() {
        var made = Self.conversation()
        _ = made.open(at: 0)
        #expect(made.end(.server, at: 1).map(\.flags) == [[.fin, .ack], .ack])
        #expect(made.end(.server, at: 2).isEmpty)
        #expect(made.end(.client, at: 3).count == 2)
    }

    @Test func `is the same each time, and another for another connection`() {
        var first = Self.conversation(1)
        var again = Self.conversation(1)
        var other = Self.conversation(2)
        let segments = first.open(at: 0)
        #expect(segments == again.open(at: 0))
        #expect(segments[0].sequence != other.open(at: 0)[0].sequence)
    }

    @Test func `reads ends with addresses of both versions and none with names`() {
        #expect(Endpoint("127.0.0.1:80") == Endpoint(IPAddress(version4: 0x7F00_0001), 80))
        #expect(Endpoint("[::1]:443") == Endpoint(IPAddress(version6: 0, 1), 443))
        #expect(Endpoint("[::ffff:10.0.0.1]:1") == Endpoint(IPAddress(version4: 0x0A00_0001), 1))
        for text in ["", "example.org:80", "127.0.0.1", "127.0.0.1:65536", ":80", "[::1]"] {
            #expect(Endpoint(text) == nil, "\(text)")
        }
    }

    @Test func `makes addresses up that nobody has, the same for the same name`() {
        let one = SynthesizedAddress.server("api.example.org")
        #expect(one == SynthesizedAddress.server("API.example.org"))
        #expect(one != SynthesizedAddress.server("www.example.org"))
        #expect(one.low >> 17 == 0xC612_0000 >> 17)
        let client = SynthesizedAddress.client(70_000)
        #expect(client.address.low >> 24 == 10)
        #expect(client.port >= 49_152)
    }
}
