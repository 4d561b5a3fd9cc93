import Framing
import Wire

extension Relay {
    /// Takes bytes of a server.
    mutating func serverSent(
        _ id: LegID, _ bytes: [UInt8], _ origin: Chunk.Origin, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard let index = legs.firstIndex(where: { $0.id == id }), !isClientClosed else { return }
        if case .start = phase, isTunnel {
            // A server that speaks before its client speaks neither TLS nor HTTP.
            phase = .raw(id, isRecorded: legs[index].isRecorded)
        }
        if case .raw(let leg, _) = phase {
            guard leg == id else { return }
            toClient(
                HeldBytes(bytes: bytes[...], at: at, start: 0, origin: origin), bytes[...], [],
                index, &commands)
            return
        }
        guard outstanding.first?.leg == id || current == id else { return }
        var read = HeldBytes(
            bytes: bytes[...], at: at, start: legs[index].scan.offset, origin: origin)
        guard !legs[index].scan.isOpaque else {
            toClient(read, read.bytes, [], index, &commands)
            return
        }
        var events: [HTTPEvent] = []
        let taken = legs[index].responses.consume(bytes.span, into: &events)
        legs[index].scan.offset += Int64(taken)
        let passed = walk(events, read, legIndex: index, taken: taken, &commands)
        if passed < bytes.count, legs.indices.contains(index) {
            read.bytes = bytes[passed...]
            read.start += Int64(passed)
            legs[index].scan.partial.append(read)
        }
        settle(at, &commands)
    }

    /// Passes on what is complete of one read of a server.
    ///
    /// - Returns: How many bytes were passed on; the rest is the start of a head that may have to be
    ///   rewritten.
    private mutating func walk(
        _ events: [HTTPEvent], _ read: HeldBytes, legIndex: Int, taken: Int,
        _ commands: inout [RelayCommand]
    ) -> Int {
        var patches: [Patch] = []
        var (passed, reach) = (0, 0)
        for event in events {
            switch event {
            case .head(let head, let end):
                let made = rewrites(of: head)
                flushPartial(legIndex, made, from: head.start, &commands)
                patches += read.own(made, from: head.start)
                reach = end
                let isFinal = !(100..<200).contains(head.status ?? 0) || head.status == 101
                legs[legIndex].scan.isInBody = isFinal
                if isFinal { decideSwitch(head) }
            case .end(let at):
                reach = at
                // A 1xx ends as well, and the request still waits.
                if legs[legIndex].scan.isInBody, !outstanding.isEmpty { outstanding.removeFirst() }
                legs[legIndex].scan.isInBody = false
                if outstanding.first?.local != nil {
                    // An answer of our own comes before the next one of the server.
                    pass(read, passed..<reach, patches, legIndex, &commands)
                    (passed, patches) = (reach, [])
                    giveLocalAnswers(read.at, &commands)
                    if case .closed = phase { return read.bytes.count }
                }
            case .content(let range):
                reach = max(reach, range.upperBound)
            case .trailers(_, let end):
                reach = max(reach, end)
            case .failure:
                legs[legIndex].scan.isOpaque = true
                flushPartial(legIndex, [], from: 0, &commands)
            case .note, .opaque:
                continue
            }
        }
        let scan = legs[legIndex].scan
        let isRaw = if case .raw = phase { true } else { false }
        if scan.isInBody || scan.isOpaque || isRaw || !isRewriting { reach = read.bytes.count }
        pass(read, passed..<reach, patches, legIndex, &commands)
        return reach
    }

    /// Passes on part of a read; the patches are relative to the read and within the part.
    private mutating func pass(
        _ read: HeldBytes, _ part: Range<Int>, _ patches: [Patch], _ index: Int,
        _ commands: inout [RelayCommand]
    ) {
        let first = read.bytes.startIndex
        let moved =
            part.lowerBound == 0
            ? patches
            : patches.map {
                Patch(
                    offset: $0.offset - part.lowerBound, removed: $0.removed,
                    inserted: $0.inserted, reason: $0.reason)
            }
        toClient(
            read, read.bytes[first + part.lowerBound..<first + part.upperBound], moved, index,
            &commands)
    }

    /// Whether heads of responses may be rewritten, so that an incomplete one has to be held.
    private var isRewriting: Bool {
        if case .reverse = settings.mode { return !settings.keepsHost && !isTunnel }
        return false
    }

    private func rewrites(of head: HTTPHead) -> [Patch] {
        guard isRewriting, let fixed, let request = outstanding.first else { return [] }
        return HeadRewrite.response(
            head, server: fixed, proxy: request.proxyName, isProxyTLS: isClientTLS)
    }

    /// The final answer to a request for another protocol: what follows is that protocol, or HTTP
    /// goes on.
    private mutating func decideSwitch(_ head: HTTPHead) {
        guard let request = outstanding.first else { return }
        if head.status == 101 {
            let isRecorded = legs.first { $0.id == request.leg }?.isRecorded ?? true
            phase = .raw(request.leg, isRecorded: isRecorded)
            outstanding = []
            isAwaitingSwitch = false
        } else if request.isUpgrade {
            isAwaitingSwitch = false
            requests.resume(.http)
        }
    }

    mutating func flushPartial(
        _ legIndex: Int, _ patches: [Patch], from base: Int64, _ commands: inout [RelayCommand]
    ) {
        let partial = legs[legIndex].scan.partial
        legs[legIndex].scan.partial = []
        for held in partial {
            toClient(held, held.bytes, held.own(patches, from: base), legIndex, &commands)
        }
    }

    /// Records and sends bytes of a server.
    private mutating func toClient(
        _ read: HeldBytes, _ bytes: ArraySlice<UInt8>, _ patches: [Patch], _ index: Int,
        _ commands: inout [RelayCommand]
    ) {
        guard !bytes.isEmpty else { return }
        if legs[index].isRecorded {
            recordChunk(
                bytes, patches: patches, leg: legs[index].id, sender: .server, at: read.at,
                origin: read.origin, &commands)
        }
        commands.append(.send(clientLeg.id, Patch.apply(patches, to: Array(bytes))))
    }

    /// Goes on with what waited for answers.
    mutating func settle(_ at: Instant, _ commands: inout [RelayCommand]) {
        giveLocalAnswers(at, &commands)
        if case .raw(let leg, let isRecorded) = phase {
            let waiting = backlog
            backlog = []
            for read in waiting {
                if isRecorded {
                    recordChunk(
                        read.bytes, patches: [], leg: clientLeg.id, sender: .client, at: read.at,
                        &commands)
                }
                send(Array(read.bytes), on: leg, &commands)
            }
            resumeClient(&commands)
            if hasClientEnded { endServers(&commands) }
            return
        }
        if blocked != nil {
            unblock(&commands)
        } else if !backlog.isEmpty, !isAwaitingSwitch {
            drainBacklog(&commands)
        }
    }

    /// The server will send no more.
    mutating func serverEnded(_ id: LegID, _ at: Instant, _ commands: inout [RelayCommand]) {
        guard let index = legs.firstIndex(where: { $0.id == id }), !legs[index].hasEnded else {
            return
        }
        legs[index].hasEnded = true
        if legs[index].isRecorded { record(.ended, leg: id, at: at, says: "", &commands) }
        flushPartial(index, [], from: 0, &commands)
        let wasInBody = legs[index].scan.isInBody
        var events: [HTTPEvent] = []
        legs[index].responses.endOfStream(into: &events)
        for event in events {
            guard case .end = event, legs[index].scan.isInBody else { continue }
            legs[index].scan.isInBody = false
            if !outstanding.isEmpty { outstanding.removeFirst() }
        }
        let isNeeded = outstanding.contains { $0.leg == id }
        if isEveryone(id) || wasInBody || isNeeded {
            // The end of the connection means something to the client: the end of a body, or that
            // no answer will come.
            endClient(&commands)
        } else {
            commands.append(.close(id, isReset: false))
        }
        if current == id { current = isEveryone(id) ? id : nil }
        settle(at, &commands)
    }

    /// Whether a leg is all that the client can mean by its connection.
    private func isEveryone(_ id: LegID) -> Bool {
        if case .raw(let leg, _) = phase { return leg == id }
        return fixed != nil || legs.allSatisfy { $0.id == id }
    }

    /// A server leg is gone.
    mutating func serverClosed(
        _ id: LegID, _ isReset: Bool, _ why: String, _ at: Instant,
        _ commands: inout [RelayCommand]
    ) {
        guard let index = legs.firstIndex(where: { $0.id == id }) else { return }
        if !legs[index].hasEnded { serverEnded(id, at, &commands) }
        if legs[index].isRecorded { record(.closed, leg: id, at: at, says: why, &commands) }
        let isOver = isEveryone(id) || outstanding.contains { $0.leg == id }
        legs.removeAll { $0.id == id }
        if current == id { current = nil }
        if isOver, !isClientClosed {
            commands.append(.close(clientLeg.id, isReset: isReset))
        }
    }
}
