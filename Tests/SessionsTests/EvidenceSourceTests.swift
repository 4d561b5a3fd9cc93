import Diagnosis
import Dissection
import Storage
import Testing
import Trace
import Wire

@testable import Sessions
@testable import TraceWorld

@Suite struct EvidenceSourceTests {
    /// What each side of the commands was, a line for each.
    private func commands(_ write: (SmallTrace, ConnectionID) -> Void) throws -> [String] {
        let trace = try SmallTrace()
        let socket = trace.socket()
        write(trace, socket)
        trace.finish()
        var lines: [String] = []
        for evidence in try evidence(trace) {
            guard case .command(let command) = evidence else { continue }
            func text(_ version: CommandEvidence.Version?) -> String {
                version.map { String(decoding: $0.text, as: UTF8.self) } ?? "-"
            }
            lines.append(
                "\(command.row.sender) \(command.origin.rawValue) said \(text(command.said))"
                    + " heard \(text(command.heard))")
        }
        return lines
    }

    private func evidence(_ trace: SmallTrace) throws -> [Evidence] {
        let bounds = try EvidenceBounds(TraceReader(path: trace.path))
        let batches = EvidenceBatches(path: trace.path, session: SessionID(1), bounds: bounds)
        var all: [Evidence] = []
        while let batch = try batches.next() { all += batch.evidence }
        return all
    }

    @Test func `a batch has a few megabytes of contents`() throws {
        let trace = try SmallTrace()
        let socket = trace.socket()
        let text = "0:log:" + String(repeating: "x", count: 900_000)
        for _ in 0..<12 { trace.command(socket, .client, text) }
        trace.finish()
        let bounds = try EvidenceBounds(TraceReader(path: trace.path))
        let batches = EvidenceBatches(path: trace.path, session: SessionID(1), bounds: bounds)
        var sizes: [Int] = []
        var commands = 0
        while let batch = try batches.next() {
            sizes.append(batch.evidence.reduce(0) { $0 + $1.size })
            commands += batch.evidence.count { if case .command = $0 { true } else { false } }
        }
        #expect(commands == 12)
        #expect(sizes.count { $0 > 0 } >= 3 && sizes.allSatisfy { $0 < 6 << 20 })
    }

    @Test func `the trace is not held by who has read a batch`() throws {
        let trace = try SmallTrace()
        let socket = trace.socket()
        trace.flush()
        let source = EvidenceSource(
            try EvidenceReader(path: trace.path, session: SessionID(1), bounds: nil))
        for number in 0..<1_500 { trace.command(socket, .client, "h:\(number)") }
        trace.flush()
        let batch = try source.next(isOver: false)
        #expect(!batch.isLast)
        // Fails where somebody still reads what the log has.
        let other = try Connection(path: trace.path, flags: 2)
        #expect(try !other.checkpoint(restarts: true).isHeld)
        let rest = try source.next(isOver: false)
        #expect(rest.isLast)
        #expect(rest.counts.commands == 1_500)
        trace.finish()
    }

    @Test func `gives what came as it was sent to both sides`() throws {
        let lines = try commands { trace, socket in
            trace.command(socket, .client, "h:1")
            trace.command(socket, .server, "h:2")
        }
        #expect(
            lines == ["client peer said h:1 heard h:1", "server peer said h:2 heard h:2"])
    }

    @Test func `gives what Tapedeck made to the receiver alone`() throws {
        let lines = try commands { trace, socket in
            trace.fault(socket, .server, "send 0:index")
            trace.make(socket, .server, "0:index")
        }
        #expect(lines == ["server tapedeck said - heard 0:index"])
    }

    @Test func `gives what a client said and went on later to both sides at once`() throws {
        let lines = try commands { trace, socket in
            trace.lose(socket, .client, "0:i:1:::2")
            trace.command(socket, .client, "h:3")
            trace.make(socket, .client, "0:i:1:::2")
            trace.make(socket, .client, "0:i:1:::2")
        }
        #expect(
            lines == [
                "client peer said 0:i:1:::2 heard 0:i:1:::2", "client peer said h:3 heard h:3",
                "client tapedeck said - heard 0:i:1:::2",
            ])
    }

    @Test func `gives what was lost to the sender alone`() throws {
        let lines = try commands { trace, socket in
            trace.command(socket, .client, "h:1")
            trace.lose(socket, .client, "0:cv:5")
            trace.command(socket, .client, "h:3")
        }
        #expect(
            lines == [
                "client peer said h:1 heard h:1", "client lost said 0:cv:5 heard -",
                "client peer said h:3 heard h:3",
            ])
    }

    @Test func `gives no fault that could not be done`() throws {
        let trace = try SmallTrace()
        let socket = trace.socket()
        trace.fault(socket, .client, "drop", effect: [], problem: "no channel")
        trace.command(socket, .client, "0:cv:5")
        trace.finish()
        let all = try evidence(trace)
        #expect(all.count { if case .fault = $0 { true } else { false } } == 0)
        #expect(all.count { if case .command = $0 { true } else { false } } == 1)
    }

    @Test func `gives what was altered as each side knows it`() throws {
        let lines = try commands { trace, socket in
            trace.alter(socket, .server, "h:1", to: "h:9")
        }
        #expect(lines == ["server altered said h:1 heard h:9"])
    }

    @Test func `gives a command that Tapedeck answered as one that did not arrive`() throws {
        let lines = try commands { trace, socket in
            trace.lose(socket, .client, "0:c:{}")
            trace.make(socket, .server, #"0:c:[{"error":440}]"#)
        }
        #expect(
            lines == [
                "client lost said 0:c:{} heard -",
                #"server tapedeck said - heard 0:c:[{"error":440}]"#,
            ])
    }

    @Test func `reads commands whole of which the trace keeps the beginning`() throws {
        let text = "0:c:" + String(repeating: "x", count: 3_000_000)
        let trace = try SmallTrace()
        let socket = trace.socket()
        trace.command(socket, .client, text)
        trace.finish()
        let found = try evidence(trace).compactMap { evidence -> CommandEvidence? in
            if case .command(let command) = evidence { command } else { nil }
        }
        #expect(found.map(\.isCut) == [false])
        #expect(found.first?.said?.text.count == text.utf8.count)
    }

    @Test func `reads contents whole of which the trace keeps the beginning`() throws {
        let half = String(repeating: "some words ", count: 150_000)
        let body = half + half
        let trace = try SmallTrace()
        let connection = trace.open()
        trace.send(
            connection, .client,
            "POST /a/demo/receiver/ HTTP/1.1\nHost: x\nContent-Length: \(body.utf8.count)\n\n")
        trace.send(connection, .client, Array(half.utf8))
        trace.send(connection, .client, Array(half.utf8))
        trace.send(connection, .server, "HTTP/1.1 201 Created\nContent-Length: 0\n\n")
        trace.finish()
        for evidence in try evidence(trace) {
            guard case .answered(let exchange) = evidence else { continue }
            let request = try #require(exchange.request)
            #expect(!request.isWhole)
            #expect(request.body.content.count < body.utf8.count)
            var read: [UInt8] = []
            let isRead = request.read { piece in
                read += piece
                return true
            }
            #expect(isRead && read == Array(body.utf8))
            var first = 0
            _ = request.read { piece in
                first += piece.count
                return false
            }
            #expect(first > 0 && first <= half.utf8.count)
            #expect(exchange.response?.isWhole == true)
        }
    }
}
