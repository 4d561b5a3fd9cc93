import Capturing
import Testing
import Wire

@testable import Formats

@Suite("Records of captured connections") struct CaptureRecordsTests {
    /// What a capture of these events becomes: the bytes of chunks, and the kinds of events.
    private func records(_ events: [StreamEvent]) -> [String] {
        var last: Int64 = 0
        var capture = CaptureRecords(
            startedUnixNanoseconds: 0,
            numbers: CaptureRecords.Numbers(
                connection: { ConnectionID(1) },
                leg: {
                    last += 1
                    return LegID(last)
                }))
        var records: [Record] = []
        for event in events { capture.consume(event, into: &records) }
        return records.compactMap { record in
            switch record {
            case .chunk(let chunk): "\(chunk.sender) \(chunk.bytes.count)"
            case .event(let event): event.kind.rawValue
            default: nil
            }
        }
    }

    private static let client = Endpoint(IPAddress(version4: 0x0A00_0001), 50_000)
    private static let server = Endpoint(IPAddress(version4: 0x0A00_0002), 443)
    /// The header of a record of 256 bytes, and the beginning of a hello in it.
    private static let hello: [UInt8] = [0x16, 3, 1, 1, 0, 1, 0, 0, 0xFC, 3, 3]

    @Test("The end of a side comes after its bytes, also where TLS was never decrypted")
    func ends() {
        let opened = StreamEvent.opened(
            1, client: Self.client, server: Self.server, atUnixNanoseconds: 1, hasHandshake: true)
        let cut = records([
            opened, .bytes(1, sender: .client, atUnixNanoseconds: 2, Self.hello[...]),
            .ended(1, sender: .client, atUnixNanoseconds: 3),
            .ended(1, sender: .server, atUnixNanoseconds: 4),
            .closed(1, atUnixNanoseconds: 5, .closed),
        ])
        #expect(
            cut == ["opened", "ended", "tls", "client 11", "ended", "closed", "closed"])
        // Plain bytes are given at once, and so is the end of their side.
        let plain = records([
            opened, .bytes(1, sender: .client, atUnixNanoseconds: 2, Array("GET / ".utf8)[...]),
            .ended(1, sender: .client, atUnixNanoseconds: 3),
            .bytes(1, sender: .server, atUnixNanoseconds: 4, Array("HTTP/1".utf8)[...]),
            .ended(1, sender: .server, atUnixNanoseconds: 5),
            .closed(1, atUnixNanoseconds: 6, .closed),
        ])
        #expect(
            plain == ["opened", "client 6", "ended", "server 6", "ended", "closed", "closed"])
    }
}
