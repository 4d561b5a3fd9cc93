import Notation
import Testing
import Wire

@testable import Dissection

@Suite("What a quiet conversation takes to go on is as good as a copy of it")
struct QuietMomentTests {
    /// Something that happens on the connection.
    private enum Happening {
        case chunk(Chunk, ChunkID)
        case event(EventRow)
        case gap(GapRow)
    }

    @Test(arguments: 0..<400) func `whatever comes next`(seed: Int) {
        var dice = SplitMix64(seed: UInt64(seed))
        let row = ConnectionRow(
            id: Stage.connection, at: .zero, listener: "127.0.0.1:8080", client: "127.0.0.1:5000",
            mode: [.reverse, .forward, .capture][seed % 3])
        let happenings = happenings(&dice)
        let client = conversation(row)
        var found = 0
        for start in happenings.indices {
            if let quiet = client.quiet {
                found += 1
                let outputs = (0..<2).map { _ in DissectorOutput(numbers: DissectorNumbers()) }
                let copy = client.copied(output: outputs[0])
                let other = Conversation(quiet, of: client, output: outputs[1])
                // What happens to the one it was taken from does not concern it.
                Self.apply(happenings[start], to: client)
                let rows = zip([copy, other], outputs).map { conversation, output in
                    for next in happenings[start...] { Self.apply(next, to: conversation) }
                    conversation.finish(at: Instant(nanoseconds: 1 << 40), why: "the end")
                    var rows: [DerivedRow] = []
                    output.trade(&rows)
                    return rows
                }
                #expect(rows[0] == rows[1], "from \(start) on")
                #expect(copy.isOver == other.isOver)
            } else {
                Self.apply(happenings[start], to: client)
            }
        }
        #expect(found > 0)
    }

    private func conversation(_ row: ConnectionRow) -> Conversation {
        let conversation = Conversation(
            row, limits: DissectionLimits(), output: DissectorOutput(numbers: DissectorNumbers()))
        for peer in Peer.allCases {
            conversation.add(
                LegRow(
                    id: peer == .client ? Stage.client : Stage.server, connection: row.id,
                    peer: peer, at: .zero, host: "127.0.0.1", port: 80))
        }
        // From here on it is HTTP.
        let text = [UInt8]("GET /first HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        Self.apply(
            .chunk(chunk(.client, text[...], at: 1), ChunkID(1)), to: conversation)
        let answer = [UInt8]("HTTP/1.1 204 No\r\n\r\n".utf8)
        Self.apply(
            .chunk(chunk(.server, answer[...], at: 2), ChunkID(2)), to: conversation)
        return conversation
    }

    private static func apply(_ happening: Happening, to conversation: Conversation) {
        switch happening {
        case .chunk(let chunk, let id): conversation.consume(chunk, id: id, hadBy: .client)
        case .event(let row): conversation.consume(row)
        case .gap(let row): conversation.lostBytes(row)
        }
    }

    private func chunk(_ sender: Peer, _ bytes: ArraySlice<UInt8>, at: Int64) -> Chunk {
        Chunk(
            connection: Stage.connection, leg: sender == .client ? Stage.client : Stage.server,
            sender: sender, at: Instant(nanoseconds: at), bytes: Array(bytes))
    }

    /// Exchanges of all kinds in any portions, and now and then something odd.
    private func happenings(_ dice: inout SplitMix64) -> [Happening] {
        var all: [Happening] = []
        var number: Int64 = 2
        for _ in 0..<Int.random(in: 2...6, using: &dice) {
            for (sender, text) in exchange(&dice) {
                var rest = [UInt8](text.utf8)[...]
                while !rest.isEmpty {
                    let count = Int.random(in: 1...max(1, rest.count * 2), using: &dice)
                    number += 1
                    all.append(
                        .chunk(chunk(sender, rest.prefix(count), at: number), ChunkID(number)))
                    rest = rest.dropFirst(count)
                }
            }
            let at = Instant(nanoseconds: number)
            switch Int.random(in: 0..<8, using: &dice) {
            case 0:
                all.append(
                    .event(
                        EventRow(
                            .tls, connection: Stage.connection, leg: Stage.server, at: at,
                            detail: "")))
            case 1:
                all.append(
                    .gap(
                        GapRow(
                            connection: Stage.connection, leg: nil, sender: .server, at: at,
                            until: at, count: 7, chunks: 1, reason: .diskFull)))
            case 2:
                all.append(
                    .event(
                        EventRow(
                            .closed, connection: Stage.connection, leg: Stage.server, at: at,
                            detail: "reset")))
            default: break
            }
        }
        return all
    }

    private func exchange(_ dice: inout SplitMix64) -> [(Peer, String)] {
        let body = String(repeating: "x", count: Int.random(in: 0...40, using: &dice))
        let plain = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
        let question = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: return [(.client, "\r\n\r\n" + question), (.server, plain)]
        case 1: return [(.client, question + question), (.server, plain + plain)]
        case 2: return [(.client, question), (.server, "HTTP/1.1 100 Go on\r\n\r\n" + plain)]
        case 3: return [(.client, "no request\r\n\r\n"), (.server, plain)]
        case 4: return [(.client, question), (.server, "no response\r\n\r\n" + plain)]
        case 5: return [(.server, plain)]
        case 6:
            return [
                (.client, "GET /b HTTP/1.1\r\nHost: h\r\nbad\u{1} name: 1\r\n\r\n"),
                (.server, plain),
            ]
        case 7:
            return [
                (.client, "CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n"),
                (.server, "HTTP/1.1 \(body.count % 2 == 0 ? 200 : 403) No\r\n\r\n"),
            ]
        case 8:
            let form = "<data xmlns='http://openrosa.org/x'><name>\(body)</name></data>"
            return [
                (
                    .client,
                    "POST /receiver HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n"
                        + "Content-Length: \(form.count)\r\n\r\n\(form)"
                ), (.server, plain),
            ]
        case 9: return [(.client, question), (.server, plain + "\r\n\r\n")]
        default: return [(.client, question), (.server, plain)]
        }
    }
}
