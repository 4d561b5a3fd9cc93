internal import Capturing
internal import Wire

/// Turns what a capture shows of TCP connections into the records of a trace.
///
/// A value without I/O: the same events give the same records. Times are counted from the start of
/// the session; one before it counts as its start.
struct CaptureRecords {
    /// What issues unique numbers.
    struct Numbers {
        var connection: () -> ConnectionID
        var leg: () -> LegID
    }

    /// One TCP connection that is open.
    private struct Stream {
        let connection: ConnectionID
        let clientLeg: LegID
        let serverLeg: LegID
        let server: Endpoint
        var layer = CaptureLayer()
        /// Ends of sides whose last bytes the layer still withholds.
        var ends: [(sender: Peer, at: Instant)] = []

        func leg(of peer: Peer) -> LegID { peer == .client ? clientLeg : serverLeg }
    }

    private let startedUnixNanoseconds: Int64
    private let numbers: Numbers
    private var streams: [StreamEvent.Number: Stream] = [:]
    /// The known TLS keys.
    var keys = KeyLog()
    /// What was found out about TLS.
    private(set) var tls = CaptureTotals.TLS()

    /// Records of a session that started at `startedUnixNanoseconds`.
    init(startedUnixNanoseconds: Int64, numbers: Numbers) {
        self.startedUnixNanoseconds = startedUnixNanoseconds
        self.numbers = numbers
    }

    /// Processes the next event and appends what it becomes.
    mutating func consume(_ event: StreamEvent, into records: inout [Record]) {
        switch event {
        case .opened(let number, let client, let server, let at, let hasHandshake):
            open(number, client, server, instant(at), hasHandshake, into: &records)
        case .bytes(let number, let sender, let at, let bytes):
            guard var stream = streams[number] else { return }
            if stream.layer.isPlain {
                records.append(
                    .chunk(
                        Chunk(
                            connection: stream.connection, leg: stream.leg(of: sender),
                            sender: sender, at: instant(at), bytes: Array(bytes))))
                return
            }
            // Taken out, so that it is changed in place.
            streams[number] = nil
            pass(&stream, into: &records, at: at) { layer, keys, output in
                layer.consume(bytes, from: sender, atUnixNanoseconds: at, keys: keys, into: &output)
            }
            streams[number] = stream
        case .missing(let number, let sender, let at, let until, let count):
            guard var stream = streams[number] else { return }
            streams[number] = nil
            pass(&stream, into: &records, at: at) { layer, keys, output in
                layer.lose(
                    count, from: sender, atUnixNanoseconds: at, untilUnixNanoseconds: until,
                    keys: keys, into: &output)
            }
            streams[number] = stream
        case .ended(let number, let sender, let at):
            guard var stream = streams.removeValue(forKey: number) else { return }
            stream.ends.append((sender, instant(at)))
            putEnds(&stream, into: &records)
            streams[number] = stream
        case .closed(let number, let at, let why):
            guard var stream = streams.removeValue(forKey: number) else { return }
            pass(&stream, into: &records, at: at) { layer, keys, output in
                layer.finish(atUnixNanoseconds: at, keys: keys, into: &output)
            }
            for leg in [stream.serverLeg, stream.clientLeg] {
                records.append(
                    .event(
                        EventRow(
                            .closed, connection: stream.connection, leg: leg, at: instant(at),
                            detail: Self.detail(why))))
            }
        }
    }

    private mutating func open(
        _ number: StreamEvent.Number, _ client: Endpoint, _ server: Endpoint, _ at: Instant,
        _ hasHandshake: Bool, into records: inout [Record]
    ) {
        let stream = Stream(
            connection: numbers.connection(), clientLeg: numbers.leg(), serverLeg: numbers.leg(),
            server: server)
        streams[number] = stream
        let id = stream.connection
        records.append(
            .connection(
                ConnectionRow(
                    id: id, at: at, listener: server.description, client: client.description,
                    mode: .capture)))
        for (leg, peer, end) in [
            (stream.clientLeg, Peer.client, client), (stream.serverLeg, .server, server),
        ] {
            records.append(
                .leg(
                    LegRow(
                        id: leg, connection: id, peer: peer, at: at,
                        host: end.address.description, port: Int(end.port))))
        }
        if hasHandshake {
            records.append(
                .event(
                    EventRow(
                        .opened, connection: id, leg: stream.serverLeg, at: at,
                        detail: server.description)))
        } else {
            records.append(
                .event(
                    EventRow(
                        .joined, connection: id, at: at,
                        detail:
                            "the capture began after this connection; the client is a guess")
                ))
        }
    }

    /// Runs the layer of `stream` and appends its output.
    private mutating func pass(
        _ stream: inout Stream, into records: inout [Record], at unixNanoseconds: Int64,
        _ work: (inout CaptureLayer, KeyLog, inout [CaptureLayer.Output]) -> Void
    ) {
        var outputs: [CaptureLayer.Output] = []
        work(&stream.layer, keys, &outputs)
        for output in outputs {
            switch output {
            case .bytes(let sender, let at, let bytes):
                records.append(
                    .chunk(
                        Chunk(
                            connection: stream.connection, leg: stream.leg(of: sender),
                            sender: sender, at: instant(at), bytes: bytes)))
            case .missing(let sender, let at, let until, let count, let reason):
                records.append(
                    .gap(
                        GapRow(
                            connection: stream.connection, leg: stream.leg(of: sender),
                            sender: sender, at: instant(at), until: instant(until), count: count,
                            chunks: 1, reason: reason)))
            case .event(let kind, let peer, let at, let detail):
                records.append(
                    .event(
                        EventRow(
                            kind, connection: stream.connection, leg: stream.leg(of: peer),
                            at: instant(at), detail: detail)))
            case .count(let what): tls[keyPath: what] += 1
            }
        }
        putEnds(&stream, into: &records)
    }

    /// Appends the ends of those sides of which everything was given.
    private func putEnds(_ stream: inout Stream, into records: inout [Record]) {
        guard !stream.ends.isEmpty else { return }
        var left: [(sender: Peer, at: Instant)] = []
        for end in stream.ends {
            if stream.layer.withholds(end.sender) {
                left.append(end)
            } else {
                records.append(
                    .event(
                        EventRow(
                            .ended, connection: stream.connection, leg: stream.leg(of: end.sender),
                            at: end.at)))
            }
        }
        stream.ends = left
    }

    private func instant(_ unixNanoseconds: Int64) -> Instant {
        Instant(nanoseconds: max(0, unixNanoseconds - startedUnixNanoseconds))
    }

    private static func detail(_ why: StreamEvent.Closing) -> String {
        switch why {
        case .closed: "closed"
        case .reset: "reset"
        case .replaced: "another connection between the same endpoints began"
        case .idle: "no packet was captured for too long"
        case .captureEnded: "the capture ends"
        }
    }
}
