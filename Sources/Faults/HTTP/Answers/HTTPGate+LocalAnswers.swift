import Filters
import Framing
import Wire

/// What rules do to answers that a rule made.
extension HTTPGate {
    /// The actions that change an answer, of the server or local.
    static let edits: Set<ActionKind> = [
        .setHeader, .removeHeader, .addHeader, .edit, .contentType, .length, .corrupt, .truncate,
        .cutXML, .latency, .answerTwice,
    ]

    /// The rules about answers that match a local one, and change it.
    ///
    /// They are evaluated as for a server's answer; actions that drop or replace an answer are not.
    func edits(
        of answer: LocalAnswer, to exchange: LiveExchange, _ at: Instant
    ) -> [Firing] {
        guard !session.interest.isDisjoint(with: [.responseHead, .responseBody]),
            let (head, content) = Self.parts(of: answer, to: exchange.kind)
        else { return [] }
        var exchange = exchange
        exchange.responseHead = head
        exchange.respondedAt = at
        exchange.isLocal = true
        let early = judge(exchange, .responseHead, at, only: Self.edits)
        exchange.response.append(content[...])
        exchange.responseSize = Int64(content.count)
        return early + judge(exchange, .responseBody, at, endedAt: at, only: Self.edits)
    }

    /// A local answer as changed by `firings`, and when it is due.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - exchange: The exchange that it is to.
    ///   - firings: What changes it, and other things, which do nothing.
    ///   - lane: Whose bytes the changes are stated about.
    ///   - at: Now.
    ///   - due: When it is due without them; gains what makes it later.
    ///   - commands: Gain what is stated.
    /// - Returns: The answer to be given.
    func edited(
        _ answer: LocalAnswer, to exchange: LiveExchange, by firings: [Firing],
        statedAbout lane: Peer, _ at: Instant, due: inout Instant,
        _ commands: inout [GateCommand]
    ) -> LocalAnswer {
        let firings = firings.filter { Self.edits.contains($0.action.kind) }
        guard !firings.isEmpty else { return answer }
        guard let (head, content) = Self.parts(of: answer, to: exchange.kind) else {
            fail(firings, at, lane, "the answer cannot be changed", &commands)
            return answer
        }
        var passage = MessagePassage(head, raw: head.bytes, from: lane)
        passage.api = exchange.api(context)
        passage.hold(content[...], content: content.count)
        var edited: EditableHead?
        var body = content
        var work: EditedBody?
        var doubled: [Firing] = []
        for step in firings {
            var isDone = true
            defer { if isDone { due = due.later(by: step.afterNanoseconds) } }
            switch step.action.kind {
            case .latency:
                tell(step, at, lane, &commands)
                // Its span, without what is counted already.
                due = due.later(by: step.delay - min(step.afterNanoseconds, step.delay))
            case .edit where step.needsBody, .cutXML:
                isDone = editBody(step, &work, passage, at, &commands)
                guard isDone, let work else { continue }
                var changed = edited ?? EditableHead(head)
                body = work.framed(&changed)
                edited = changed
            case .setHeader, .removeHeader, .addHeader, .edit, .contentType, .length:
                isDone = editHead(step, &edited, passage, at, &commands)
            case .corrupt, .truncate:
                isDone = !body.isEmpty && passage.editor.add(step, size: Int64(body.count))
                if !isDone {
                    let problem = body.isEmpty ? Self.noBody : Self.editedTwice
                    fail([step], at, lane, problem, &commands)
                }
            case .answerTwice: doubled.append(step)
            default: continue
            }
        }
        var closes = answer.closes
        let start = edited?.bytes ?? head.bytes
        var bytes = start
        for outcome in passage.editor.take(body[...], isContent: true) {
            switch outcome {
            case .pass(let part): bytes += part
            case .change(_, let by, let firing):
                if let firing {
                    tell(firing, at, lane, hasTaken: true, &commands)
                }
                bytes += by
            case .cut(_, let firing):
                tell(firing, at, lane, &commands)
                closes = true
            }
        }
        failEdits(passage.editor.end(), lane, at, &commands)
        guard !doubled.isEmpty, !closes else {
            fail(doubled, at, lane, "the connection ends after the answer", &commands)
            return LocalAnswer(bytes: bytes, closes: closes)
        }
        for step in doubled {
            tell(step, at, lane, hasTaken: true, &commands)
        }
        return LocalAnswer(bytes: bytes + bytes, closes: closes)
    }

    /// Head and content of a local answer.
    private static func parts(
        of answer: LocalAnswer, to kind: HTTPRequestKind
    ) -> (head: HTTPHead, content: [UInt8])? {
        var framer = HTTPFramer(role: .response)
        framer.expect(kind)
        var events: [HTTPEvent] = []
        _ = framer.consume(answer.bytes.span, into: &events)
        guard case .head(let head, let end)? = events.first else { return nil }
        return (head, Array(answer.bytes[end...]))
    }
}
