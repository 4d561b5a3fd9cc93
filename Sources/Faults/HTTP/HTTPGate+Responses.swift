import DequeModule
import Dissection
import Filters
import Framing
import Wire

extension HTTPGate {
    /// Frames what the server sent and decides about it.
    mutating func followResponses(
        _ bytes: [UInt8], _ at: Instant, _ commands: inout [GateCommand]
    ) -> HTTPSwitch? {
        var events: [HTTPEvent] = []
        let taken = responses.consume(bytes.span, into: &events)
        var position = 0
        var change: HTTPSwitch?
        for event in events {
            guard isFollowing else { break }
            switch event {
            case .head(let head, let end):
                let raw = partialResponse + bytes[position..<end]
                partialResponse = []
                position = end
                change = beginResponse(head, raw, at, &commands)
            case .content(let range):
                takeResponse(
                    bytes[position..<range.upperBound], content: range.count, at, &commands)
                position = range.upperBound
            case .trailers(let fields, let end):
                takeResponse(bytes[position..<end], content: 0, at, &commands)
                position = end
                if outgoing != nil, !waiting.isEmpty { waiting[0].response.trailers = fields }
            case .end(let end):
                takeResponse(bytes[position..<end], content: 0, at, &commands)
                position = end
                endResponse(at, &commands)
            case .note(let note, _):
                if !waiting.isEmpty { waiting[0].add(note: note.rawValue) }
            case .failure:
                giveUp(at, &commands)
            case .opaque:
                continue
            }
        }
        if var change {
            change.serverRest = Array(bytes[taken...])
            change.clientRest = behind
            behind = []
            state = .unread
            return change
        }
        restOfResponses(bytes[position...], at, &commands)
        return nil
    }

    private var isFollowing: Bool {
        switch state {
        case .following, .deaf: true
        case .unread, .over: false
        }
    }

    /// What is left of a read: the start of a head, or part of a body.
    private mutating func restOfResponses(
        _ rest: ArraySlice<UInt8>, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        guard isFollowing, !rest.isEmpty, !responses.isOpaque else {
            giveOut(rest, from: .server, &commands)
            return
        }
        if outgoing != nil || isUnmatched {
            takeResponse(rest, content: 0, at, &commands)
        } else if judgesResponses, !hasPartlyPassed[1], partialResponse.count < Self.maximumHeld {
            partialResponse += rest
        } else {
            flush(&commands, .server)
            hasPartlyPassed[1] = true
            giveOut(rest, from: .server, &commands)
        }
    }

    /// Whether heads of responses have to be buffered while they are incomplete.
    private var judgesResponses: Bool {
        !session.interest.isDisjoint(with: [.responseHead, .responseBody])
            || waiting.first?.isPlain == false
    }

    private mutating func beginResponse(
        _ head: HTTPHead, _ raw: [UInt8], _ at: Instant, _ commands: inout [GateCommand]
    ) -> HTTPSwitch? {
        let isJudged = !hasPartlyPassed[1]
        hasPartlyPassed[1] = false
        let status = head.status ?? 0
        guard let first = waiting.first, speaker.map(first.isFor) ?? true else {
            isUnmatched = true
            giveOut(raw[...], from: .server, &commands)
            return nil
        }
        if (100..<200).contains(status), status != 101 {
            beginInterim(status, raw, &commands)
            return nil
        }
        waiting[0].responseHead = head
        waiting[0].respondedAt = at
        var passage = MessagePassage(head, raw: raw, from: .server)
        if waiting[0].isRepetition {
            passage.course = .swallowing
            commands.append(.replace(sender: .server, raw, by: []))
        } else if isJudged {
            let firings = waiting[0].deferred + judge(waiting[0], .responseHead, at)
            waiting[0].deferred = []
            var exchange = waiting[0]
            decide(firings, &passage, &exchange, at, &commands)
        }
        outgoing = passage
        let isTunnel = waiting[0].kind == .connect && (200..<300).contains(status)
        guard status == 101 || isTunnel else {
            if case .holding = passage.course, !isJudged || !waits(for: passage) {
                releaseResponse(at, mayStream: isJudged, &commands)
            }
            return nil
        }
        return turn(head, isTunnel: isTunnel, at, &commands)
    }

    /// The server changes the protocol.
    private mutating func turn(
        _ head: HTTPHead, isTunnel: Bool, _ at: Instant, _ commands: inout [GateCommand]
    ) -> HTTPSwitch? {
        releaseResponse(at, &commands)
        failEdits(outgoing?.editor.end(), .server, at, &commands)
        let exchange = waiting[0]
        if case .swallowing = outgoing?.course {
            // The server is in another protocol, and the client is not.
            commands.append(.close(isReset: false))
            state = .over
            flush(&commands, .client)
            return nil
        }
        guard isFollowing else { return nil }
        outgoing = nil
        if isTunnel {
            state = .unread
            flush(&commands, .client)
            return nil
        }
        return HTTPSwitch(request: exchange.head, response: head, exchange: exchange.row(context))
    }

    private mutating func beginInterim(
        _ status: Int, _ raw: [UInt8], _ commands: inout [GateCommand]
    ) {
        waiting[0].add(note: ConversationNote.informational.rawValue)
        isUnmatched = true
        if waiting[0].isRepetition || (status == 100 && waiting[0].isAskedToContinue) {
            waiting[0].isAskedToContinue = false
            commands.append(.replace(sender: .server, raw, by: []))
        } else {
            giveOut(raw[...], from: .server, &commands)
        }
    }

    /// Whether the rest of a response has to be waited for.
    private func waits(for passage: MessagePassage) -> Bool {
        let needsBody =
            session.interest.contains(.responseBody) || passage.steps.contains { $0.needsBody }
        guard needsBody else { return false }
        guard !passage.isEventStream else { return false }
        let hasBody = waiting.first?.kind != .head && passage.head.status != 304
        return !hasBody || passage.statedSize ?? 0 <= Int64(Self.maximumHeld)
    }

    private mutating func takeResponse(
        _ raw: ArraySlice<UInt8>, content count: Int, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        guard !raw.isEmpty, !isUnmatched, var passage = outgoing else {
            giveOut(raw, from: .server, &commands)
            return
        }
        if count > 0, !waiting.isEmpty {
            waiting[0].responseSize += Int64(count)
            if case .holding = passage.course { waiting[0].response.append(raw.suffix(count)) }
        }
        outgoing = nil
        carry(raw, content: count, &passage, at, &commands)
        let isTooLong = passage.rawBody.count > Self.maximumHeld
        outgoing = passage
        if isTooLong { releaseResponse(at, mayStream: true, &commands) }
    }

    /// Forwards the held response.
    mutating func releaseResponse(
        _ at: Instant, mayStream: Bool = false, _ commands: inout [GateCommand]
    ) {
        guard var passage = outgoing, case .holding = passage.course else { return }
        outgoing = nil
        passage.mayStream = mayStream
        release(&passage, of: waiting[0], isWhole: false, at, &commands)
        outgoing = passage
    }

    private mutating func endResponse(_ at: Instant, _ commands: inout [GateCommand]) {
        if isUnmatched {
            // A 1xx response ends here, and the request is still unanswered.
            isUnmatched = false
            return
        }
        guard var passage = outgoing, !waiting.isEmpty else { return }
        outgoing = nil
        endStream(&passage, &commands)
        defer { failEdits(passage.editor.end(), .server, at, &commands) }
        if case .holding = passage.course {
            if session.interest.contains(.responseBody) {
                var exchange = waiting[0]
                let firings = judge(exchange, .responseBody, at, endedAt: at)
                decide(firings, &passage, &exchange, at, &commands)
            }
            if case .holding = passage.course {
                release(&passage, of: waiting[0], isWhole: true, at, &commands)
            }
        }
        let exchange = waiting.removeFirst()
        if case .swallowing = passage.course, !passage.isReplaced, isFollowing {
            commands.append(.swallowed)
        }
        if case .passing = passage.course { answerTwice(passage, at, &commands) }
        guard exchange.isUpgrade || exchange.kind == .connect, !exchange.isRepetition,
            requests.isPaused, case .following = state
        else { return }
        // The answer to the request for another protocol, or for a tunnel, was no.
        requests.resume(.http)
        let rest = behind
        behind = []
        if !rest.isEmpty { followRequests(rest, at, &commands) }
    }

    private mutating func answerTwice(
        _ passage: MessagePassage, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        let bytes = passage.released
        for step in passage.steps where step.action.kind == .answerTwice {
            guard !bytes.isEmpty, isFollowing else {
                fail([step], at, .server, "the connection ends in the answer", &commands)
                continue
            }
            tell(step, at, .server, hasTaken: true, &commands)
            wait(step, .server, at, &commands)
            commands.append(.make(sender: .server, bytes))
        }
    }

    /// The server closed its side: a body delimited by the close is complete.
    mutating func endResponses(_ at: Instant, _ commands: inout [GateCommand]) {
        var events: [HTTPEvent] = []
        responses.endOfStream(into: &events)
        for event in events {
            if case .end = event, isFollowing { endResponse(at, &commands) }
        }
        if outgoing != nil {
            releaseResponse(at, &commands)
            cutStream(&commands)
            failEdits(outgoing?.editor.end(), .server, at, &commands)
            outgoing = nil
            if !waiting.isEmpty { waiting.removeFirst() }
        }
        flush(&commands, .server)
        while waiting.first?.isRepetition == true {
            waiting.removeFirst()
            if isFollowing { commands.append(.swallowed) }
        }
        beginResponses()
    }

    /// Forwards what the edits of a body hold that will not be complete.
    mutating func cutStream(_ commands: inout [GateCommand]) {
        guard var passage = outgoing, passage.stream != nil else { return }
        endStream(&passage, isCut: true, &commands)
        outgoing = passage
    }

    /// Forwards the start of what is not a response: bytes of another server may follow.
    mutating func evictUnmatched(_ commands: inout [GateCommand]) {
        guard outgoing == nil, !partialResponse.isEmpty || isUnmatched else { return }
        flush(&commands, .server)
        beginResponses()
    }

    /// The next byte of a server is the first of a message.
    private mutating func beginResponses() {
        isUnmatched = false
        hasPartlyPassed[1] = false
        responses = HTTPFramer(role: .response)
        for exchange in waiting { responses.expect(exchange.kind) }
    }
}
