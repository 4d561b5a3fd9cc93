import Testing
import Wire

@testable import Proxying

/// The same bytes in any cuts give the same bytes on the other side, and a trace from which both
/// sides can be had.
@Suite struct RelayChunkingTests {
    private static let requests =
        "POST /1 HTTP/1.1\r\nHost: proxy.example:8080\r\nContent-Length: 5\r\n\r\nhello"
        + "\r\nPUT /2 HTTP/1.1\r\nX: y\r\nHost:proxy.example:8080\r\nOrigin: http://proxy.example:8080\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: u\r\n\r\n"
        + "GET /3 HTTP/1.1\nHost: proxy.example:8080\n\n"
    private static let forwarded = requests.replacing(
        "http://proxy.example:8080", with: "http://origin.example"
    )
    .replacing("proxy.example:8080", with: "origin.example")
    private static let answers =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nLocation: http://origin.example/x\r\nContent-Length: 2\r\n\r\nok"
        + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Location: http://origin.example/2\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        + "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"
    private static let returned = answers.replacing(
        "http://origin.example", with: "http://proxy.example:8080")

    @Test(arguments: 0..<100) func `passes every byte in order however it is cut`(seed: UInt64) {
        var numbers: Int64 = 1
        var cuts = Cuts(seed: seed)
        let client = LegID(1)
        let server = LegID(2)
        var relay = Relay(
            connection: ConnectionRow(
                id: ConnectionID(1), at: .zero, listener: "", client: "", mode: .reverse),
            clientLeg: LegRow(
                id: client, connection: ConnectionID(1), peer: .client, at: .zero, host: "",
                port: 0),
            settings: RelaySettings(
                mode: .reverse(ServerAddress(host: "origin.example", port: 80, isTLS: false))),
            nextLeg: {
                numbers += 1
                return LegID(numbers)
            })
        var commands: [RelayCommand] = []
        for piece in cuts.pieces(of: Self.requests) {
            relay.handle(.received(client, piece), at: .zero, into: &commands)
        }
        relay.handle(.ready(server), at: .zero, into: &commands)
        for piece in cuts.pieces(of: Self.answers) {
            relay.handle(.received(server, piece), at: .zero, into: &commands)
        }
        relay.handle(.ended(client), at: .zero, into: &commands)
        #expect(sent(commands, on: server) == Self.forwarded)
        #expect(sent(commands, on: client) == Self.returned)
        #expect(recorded(commands, by: .client) == (Self.requests, Self.forwarded))
        #expect(recorded(commands, by: .server) == (Self.answers, Self.returned))
    }

    private func sent(_ commands: [RelayCommand], on leg: LegID) -> String {
        let bytes = commands.flatMap { command -> [UInt8] in
            if case .send(leg, let bytes) = command { bytes } else { [] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func recorded(_ commands: [RelayCommand], by sender: Peer) -> (String, String) {
        var sent: [UInt8] = []
        var received: [UInt8] = []
        for case .record(.chunk(let chunk)) in commands where chunk.sender == sender {
            sent += chunk.bytes
            received += chunk.received
        }
        return (String(decoding: sent, as: UTF8.self), String(decoding: received, as: UTF8.self))
    }
}

/// Cuts text at places that depend on a seed alone; seed 0 cuts after every byte.
private struct Cuts {
    private var state: UInt64
    private let isEveryByte: Bool

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        isEveryByte = seed == 0
    }

    mutating func pieces(of text: String) -> [[UInt8]] {
        var rest = Array(text.utf8)[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let count = isEveryByte ? 1 : 1 + Int(state % 50)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
