import DequeModule
import Filters
import Framing
import Wire

extension HTTPGate {
    /// Frames what the client sent and decides about it.
    mutating func followRequests(
        _ bytes: [UInt8], _ at: Instant, _ commands: inout [GateCommand]
    ) {
        var bytes = bytes
        while case .following = state, !bytes.isEmpty {
            if requests.isPaused {
                behind += bytes
                if behind.count > Self.maximumHeld { giveUp(at, &commands) }
                return
            }
            var events: [HTTPEvent] = []
            let taken = requests.consume(bytes.span, into: &events)
            walkRequests(events, bytes[..<taken], at, &commands)
            bytes = Array(bytes[taken...])
        }
        // Its server does not wait for more.
        if requests.isInHeadWithoutVersion { giveUp(at, &commands) }
        giveOut(bytes[...], from: .client, &commands)
    }

    private mutating func walkRequests(
        _ events: [HTTPEvent], _ bytes: ArraySlice<UInt8>, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        var position = bytes.startIndex
        for event in events {
            guard case .following = state else { break }
            switch event {
            case .head(let head, let end):
                let raw = partialRequest + bytes[position..<end]
                partialRequest = []
                position = end
                beginRequest(head, raw, at, &commands)
            case .content(let range):
                takeRequest(bytes[position..<range.upperBound], content: range.count, at, &commands)
                position = range.upperBound
            case .trailers(let fields, let end):
                takeRequest(bytes[position..<end], content: 0, at, &commands)
                position = end
                updateIncoming { $0.request.trailers = fields }
            case .end(let end):
                takeRequest(bytes[position..<end], content: 0, at, &commands)
                position = end
                endRequest(at, &commands)
            case .note(let note, _):
                updateIncoming { $0.add(note: note.rawValue) }
            case .failure:
                giveUp(at, &commands)
            case .opaque:
                continue
            }
        }
        let rest = bytes[position...]
        guard case .following = state, !rest.isEmpty else {
            giveOut(rest, from: .client, &commands)
            return
        }
        if incoming != nil {
            takeRequest(rest, content: 0, at, &commands)
        } else if judgesRequests, !hasPartlyPassed[0], partialRequest.count < Self.maximumHeld {
            partialRequest += rest
        } else {
            flush(&commands, .client)
            hasPartlyPassed[0] = true
            giveOut(rest, from: .client, &commands)
        }
    }

    /// Changes what is known of the exchange whose request is in progress.
    private mutating func updateIncoming(_ change: (inout LiveExchange) -> Void) {
        guard var work = incoming else { return }
        if !work.isForwarded {
            // Moved, not copied: the request may be large.
            incoming = nil
            change(&work.exchange)
            incoming = work
        } else if let index = waiting.lastIndex(where: { $0.number == work.exchange.number }) {
            change(&waiting[index])
        }
    }

    // MARK: The three moments of a request

    private mutating func beginRequest(
        _ head: HTTPHead, _ raw: [UInt8], _ at: Instant, _ commands: inout [GateCommand]
    ) {
        var exchange = open(head, at)
        var passage = MessagePassage(head, raw: raw, from: .client)
        let isJudged = !hasPartlyPassed[0]
        hasPartlyPassed[0] = false
        if isJudged, session.interest.contains(.requestHead) {
            let firings = judge(exchange, .requestHead, at)
            decide(firings, &passage, &exchange, at, &commands)
        }
        incoming = Incoming(exchange: exchange, passage: passage)
        guard case .holding = passage.course else { return }
        let needsBody =
            session.interest.contains(.requestBody) || passage.steps.contains { $0.needsBody }
        guard isJudged, needsBody, mayWait(passage, &commands) else {
            releaseRequest(at, &commands)
            return
        }
    }

    /// Whether the body of a request can be waited for.
    private mutating func mayWait(
        _ passage: MessagePassage, _ commands: inout [GateCommand]
    ) -> Bool {
        let head = passage.head
        guard HTTPRequestKind(head) != .connect,
            passage.statedSize ?? 0 <= Int64(Self.maximumHeld)
        else { return false }
        guard head.contains(token: "100-continue", in: "expect"), head.version == "HTTP/1.1" else {
            return true
        }
        // The client waits for 100 Continue; in the order of answers that has to be the next.
        guard waiting.isEmpty else { return false }
        let reported = "HTTP/1.1 100 Continue\r\n\r\n"
        commands.append(.make(sender: .server, Array(reported.utf8)))
        incoming?.exchange.isAskedToContinue = true
        return true
    }

    private mutating func takeRequest(
        _ raw: ArraySlice<UInt8>, content count: Int, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        guard !raw.isEmpty, incoming != nil else {
            giveOut(raw, from: .client, &commands)
            return
        }
        if count > 0 {
            // Of pipelined requests only the first are kept whole.
            let keeps = keepsContent && waiting.count <= Self.maximumRemembered
            updateIncoming {
                $0.requestSize += Int64(count)
                if keeps { $0.request.append(raw.suffix(count)) }
            }
        }
        guard var work = incoming else { return }
        incoming = nil
        carry(raw, content: count, &work.passage, at, &commands)
        let isTooLong = work.passage.rawBody.count > Self.maximumHeld
        incoming = work
        if isTooLong { releaseRequest(at, &commands) }
    }

    private mutating func endRequest(_ at: Instant, _ commands: inout [GateCommand]) {
        updateIncoming { $0.requestEndedAt = at }
        if var work = incoming, case .holding = work.passage.course {
            if session.interest.contains(.requestBody) {
                let firings = judge(work.exchange, .requestBody, at)
                decide(firings, &work.passage, &work.exchange, at, &commands)
                incoming = work
            }
            if case .holding = work.passage.course {
                answerFromRecordings(&work, at, &commands)
                incoming = work
            }
            releaseRequest(at, &commands)
        }
        guard var work = incoming else { return }
        incoming = nil
        failEdits(work.passage.editor.end(), .client, at, &commands)
        repeatRequest(work, at, &commands)
        for step in work.passage.steps where step.action.kind == .halfClose {
            carryOutInTime(step, at, sender: .client, &commands)
        }
        guard case .keeping = work.passage.course else {
            // A proxy opens the tunnel itself; a server further on may refuse to.
            if work.exchange.kind == .connect, context.server == nil, case .following = state {
                giveUp(at, &commands)
            }
            return
        }
        if let answer = work.passage.answer { give(answer, work.passage, at, &commands) }
        if case .following = state { requests.resume(.http) }
    }

    /// Gives a local answer.
    func giveAnswer(
        _ answer: LocalAnswer, due: Int64, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        // An answer waits with the client's bytes.
        if due > at.nanoseconds {
            commands.append(.hold(sender: .client, until: Instant(nanoseconds: due)))
        }
        commands.append(.answer(answer.bytes, closes: answer.closes))
    }

    mutating func give(
        _ answer: LocalAnswer, _ passage: MessagePassage, _ at: Instant,
        _ commands: inout [GateCommand]
    ) {
        giveAnswer(answer, due: passage.answerDue, at, &commands)
        if answer.closes { state = .deaf }
    }

    /// Forwards the held request.
    mutating func releaseRequest(_ at: Instant, _ commands: inout [GateCommand]) {
        guard var work = incoming, case .holding = work.passage.course else { return }
        incoming = nil
        work.isForwarded = true
        waiting.append(work.exchange)
        responses.expect(work.exchange.kind)
        release(
            &work.passage, of: work.exchange, isWhole: work.exchange.requestEndedAt != nil, at,
            &commands)
        work.exchange.request = KeptContent()
        incoming = work
    }

    /// Sends the request again, as often as the rules require.
    private mutating func repeatRequest(
        _ work: Incoming, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        let steps = work.passage.steps.filter { $0.action.kind == .doubled }
        let bytes = work.passage.released
        guard work.isForwarded, !work.exchange.isUpgrade, work.exchange.kind != .connect,
            case .following = state, !bytes.isEmpty
        else {
            let isHTTP = !work.exchange.isUpgrade && work.exchange.kind != .connect
            fail(
                steps, at, .client,
                isHTTP
                    ? "the request was not forwarded" : "a request for a tunnel is not repeated",
                &commands)
            return
        }
        for step in steps {
            let wanted = Int(clamping: max(1, step.action.integer("count") ?? 1))
            let count = min(wanted, max(1, Self.maximumRepeated / bytes.count))
            tell(step, at, .client, hasTaken: true, &commands)
            wait(step, .client, at, &commands)
            for _ in 0..<count {
                commands.append(.make(sender: .client, bytes))
                var exchange = open(work.exchange.head, at)
                exchange.isRepetition = true
                waiting.append(exchange)
                responses.expect(exchange.kind)
            }
        }
    }

    /// The maximum number of unanswered requests whose content is kept.
    static let maximumRemembered = 16
    /// The maximum number of bytes of all repetitions of one request.
    static let maximumRepeated = 64 << 20
}
