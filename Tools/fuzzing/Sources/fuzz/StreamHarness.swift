internal import Capturing

extension Harness {
    /// Reassembles segments between a few ends, with bounds that are reached soon.
    ///
    /// Each segment is 8 bytes of the input: ends and flags, sequence number, acknowledgment, size
    /// of payload, what was cut off, time.
    static let streams = Harness(name: "streams", longest: 2048) { bytes in
        var input = Input(bytes)
        var limits = StreamLimits()
        if input.choice() & 1 == 1 {
            limits.connections = 2
            limits.waiting = 4096
            limits.waitingOfDirection = 2048
            limits.piecesOfDirection = 8
        }
        var assembler = StreamAssembler(limits: limits)
        var watched = WatchedStreams()
        var time: Int64 = 0
        while !input.rest.isEmpty {
            let segment = segment(&input, &time)
            var events: [StreamEvent] = []
            assembler.consume(segment, into: &events)
            watched.watch(events, assembler)
            demand(assembler.bytesKept <= limits.waiting, "what waits is bounded")
            demand(assembler.connectionsKnown <= limits.connections, "connections are bounded")
        }
        var events: [StreamEvent] = []
        assembler.finish(into: &events)
        watched.watch(events, assembler)
        demand(watched.open.isEmpty, "every connection ends with the capture")
        demand(assembler.bytesKept == 0, "nothing is kept after the end")
        demand(assembler.counts.waiting == 0, "nothing waits after the end")
    }

    private static func segment(_ input: inout Input, _ time: inout Int64) -> TCPSegment {
        let who = input.choice()
        let flags = TCPSegment.Flags(rawValue: input.choice())
        // Small numbers on both sides of 0; the upper bits now and then from far away.
        let number = { (input: inout Input) -> UInt32 in
            let low = UInt32(truncatingIfNeeded: Int(Int8(bitPattern: input.choice())))
            return flags.rawValue & 0x80 == 0 ? low : low &* 0x0101_0101
        }
        let sequence = number(&input)
        let acknowledgment = number(&input)
        let count = Int(input.choice() & 0x3F)
        let content = input.choice()
        let cutOff = Int(Int8(bitPattern: input.choice()))
        // A byte is a tenth of a second, and back again for the upper half.
        time &+= Int64(Int8(bitPattern: input.choice())) &* 100_000_000
        func end(_ choice: UInt8) -> Endpoint {
            Endpoint(IPAddress(version4: UInt32(choice & 1)), choice & 2 == 0 ? 80 : 50000)
        }
        return TCPSegment(
            source: end(who), destination: end(who >> 2), sequence: sequence,
            acknowledgment: acknowledgment, flags: flags,
            payload: [UInt8](repeating: content, count: count)[...],
            cutOff: cutOff > 100 ? cutOff << 40 : cutOff, atUnixNanoseconds: time)
    }
}

/// What the events of a capture add up to.
private struct WatchedStreams {
    /// Connections that were opened and not closed.
    var open: Set<Int> = []
    private var delivered: Int64 = 0
    private var missing: Int64 = 0

    mutating func watch(_ events: [StreamEvent], _ assembler: StreamAssembler) {
        for event in events {
            switch event {
            case .opened(let number, _, _, _, _):
                demand(open.insert(number).inserted, "\(number) is opened once")
            case .bytes(let number, _, _, let bytes):
                demand(open.contains(number) && !bytes.isEmpty, "bytes are of an open connection")
                delivered += Int64(bytes.count)
            case .missing(let number, _, _, _, let count):
                demand(open.contains(number) && count > 0, "gaps are of an open connection")
                missing += count
            case .ended(let number, _, _):
                demand(open.contains(number), "ends are of an open connection")
            case .closed(let number, _, _):
                demand(open.remove(number) != nil, "\(number) is closed once")
            }
        }
        let counts = assembler.counts
        demand(counts.isBalanced, "the counts add up: \(counts)")
        demand(counts.delivered == delivered, "what is delivered is counted")
        demand(counts.missing == missing, "what is missing is counted")
    }
}
