import Dissection
import Faults
import Framing
import Notation
import Replaying
import Sessions
import Simperium
import SyncClients
import Trace
import Wire

/// What was sent again, and the answer beside the recorded one, as text or JSON.
struct SendPage: Sendable {
    let rules: [IgnoreRule]
    let isJSON: Bool
    let hasColour: Bool

    // MARK: Exchanges

    /// Prints an answer.
    ///
    /// - Returns: Whether it is the recorded one.
    func show(
        _ answer: SentAnswer, to request: RepeatedRequest, at server: SimperiumTarget,
        recorded: ExchangeDetail
    ) -> Bool {
        let decoded = answer.decoded
        let content = decoded ?? answer.content
        let found = differences(answer, content, recorded)
        let url = SentExchange.origin(server) + request.target
        if isJSON {
            var object = JSONObjectText()
            object.add("exchange", recorded.row.id.rawValue)
            object.add("method", request.method)
            object.add("url", url)
            object.add("status", Int64(answer.head.status ?? 0))
            object.add("head", String(decoding: answer.head.bytes, as: UTF8.self))
            JSONDetail.content(content, Self.isText(content), "content", &object)
            object.add("first_byte_ns", answer.firstByteNanoseconds)
            object.add("total_ns", answer.firstByteNanoseconds + answer.nanoseconds)
            object.add("problem", answer.problem)
            object.add("recorded_status", recorded.row.status.map { Int64($0) })
            add(found, to: &object)
            StandardOutput.write(object.text + "\n")
        } else {
            var lines = [
                "\(request.method) \(ListLine.clean(url)): \(Self.status(answer.head)) after "
                    + TimeSpan.text(answer.firstByteNanoseconds)
            ]
            lines += String(decoding: answer.head.bytes, as: UTF8.self)
                .split(whereSeparator: \.isNewline).map { ListLine.clean(String($0)) }
            let text = BodyText.text(content, isText: Self.isText(content))
            if !text.isEmpty { lines += ["", text] }
            if let problem = answer.problem { lines.append("! \(ListLine.clean(problem))") }
            if decoded == nil { lines.append("! the content cannot be decoded") }
            StandardOutput.write(lines.joined(separator: "\n") + "\n\n")
            compare(
                found,
                with: recorded.row.status.map { "\($0) \(recorded.row.reason ?? "")" },
                of: "exchange \(recorded.row.id)")
        }
        return found?.isEmpty ?? false
    }

    /// Where an answer is not the recorded one; nil where none was recorded.
    private func differences(
        _ answer: SentAnswer, _ content: [UInt8], _ recorded: ExchangeDetail
    ) -> Differences? {
        guard let body = recorded.response, recorded.row.status != nil else { return nil }
        let isWhole = body.size == Int64(body.content.count)
        let head = RecordedHead(body.head, of: .server)
        let fields = answer.head.fields.map {
            ReplayMessage.Field(answer.head.text($0.name), answer.head.text($0.value))
        }
        // Of a long body the trace keeps the beginning.
        let live = isWhole ? content : Array(content.prefix(body.content.count))
        return AnswerComparison.differences(
            recorded: (
                recorded.row.status, ReplayMessage(fields: head.fields, body: body.content)
            ),
            live: (answer.head.status, ReplayMessage(fields: fields, body: live)),
            without: LeftOut(rules: rules))
    }

    private static func status(_ head: HTTPHead) -> String {
        ListLine.clean("\(head.status ?? 0) \(head.reason)")
    }

    private static func isText(_ content: [UInt8]) -> Bool {
        String(validating: content, as: UTF8.self) != nil && !content.contains(0)
    }

    // MARK: Commands

    /// Prints what is sent.
    func begin(_ command: [UInt8], to server: SimperiumTarget, path: String) {
        guard !isJSON else { return }
        StandardOutput.write("\(SentExchange.origin(server))\(ListLine.clean(path))\n")
        print(command, "→")
    }

    /// Prints a command of the server.
    func received(_ command: [UInt8]) {
        if !isJSON { print(command, "←") }
    }

    private func print(_ command: [UInt8], _ arrow: String) {
        let limit = StandardOutput.isTerminal ? 4096 : 1 << 20
        StandardOutput.write("\(arrow) \(ListLine.excerpt(command[...], limit))\n")
    }

    /// Prints what came of a command.
    ///
    /// - Returns: Whether its answer is the recorded one.
    /// - Throws: ``Failure`` where there is no answer.
    func end(
        _ sent: SentCommand, of command: [UInt8], recorded: [UInt8]?
    ) throws(Failure) -> Bool {
        let parsed = SimperiumCommand.parse(command, from: .client)
        let answer = sent.received.first {
            parsed.isAnswered(by: SimperiumCommand.parse($0, from: .server))
        }
        let found: Differences? =
            if let answer, let recorded {
                SimperiumComparison.differences(recorded: recorded, live: answer, rules: rules)
            } else {
                nil
            }
        if isJSON {
            var object = JSONObjectText()
            object.add("sent", String(decoding: command, as: UTF8.self))
            object.add("received", raw: JSONDetail.list(sent.received.map(Self.quoted)))
            object.add("answer", answer.map { String(decoding: $0, as: UTF8.self) })
            object.add("recorded_answer", recorded.map { String(decoding: $0, as: UTF8.self) })
            add(found, to: &object)
            StandardOutput.write(object.text + "\n")
        } else if parsed.hasAnswer {
            StandardOutput.write("\n")
            compare(
                found,
                with: recorded.map { ListLine.excerpt($0[...], 200) }, of: "the recorded command")
        }
        switch sent.outcome {
        case .answered, .waited: break
        case .sent:
            if !isJSON { StandardOutput.write("sent; nothing answers \(parsed.name)\n") }
        case .unanswered: throw Failure(.unavailable, "no answer came in time; --wait waits longer")
        case .refused(let reason):
            throw Failure(.failed, "\(reason); --token names another token")
        case .ended(let reason): throw Failure(.unavailable, "no answer came: \(reason)")
        }
        return recorded == nil ? !parsed.hasAnswer : found?.isEmpty ?? false
    }

    private static func quoted(_ text: [UInt8]) -> String {
        JSONString.quoted(String(decoding: text, as: UTF8.self))
    }

    // MARK: Both

    /// Prints the answer beside the recorded one.
    private func compare(_ found: Differences?, with recorded: String?, of what: String) {
        guard let found else {
            return StandardOutput.write(
                recorded == nil
                    ? "\(what) has no recorded answer\n" : "no answer to compare with \(what)\n")
        }
        guard !found.isEmpty else {
            return StandardOutput.write("the same as the answer to \(what)\n")
        }
        var lines = [
            DiffLine("--- the answer to \(what): \(ListLine.clean(recorded ?? ""))", .red),
            DiffLine("+++ the answer now", .green),
        ]
        for difference in found.items { lines += DiffLine.lines("", difference) }
        if found.isCut { lines.append(DiffLine("      … and more")) }
        StandardOutput.write(lines.map { $0.painted(hasColour) + "\n" }.joined())
    }

    private func add(_ found: Differences?, to object: inout JSONObjectText) {
        object.add("same", raw: found.map { $0.isEmpty ? "true" : "false" } ?? "null")
        let items = (found?.items ?? []).map { difference in
            var item = JSONObjectText()
            item.add("kind", difference.kind.rawValue)
            item.add("path", difference.path)
            item.add("place", difference.place)
            item.add("a_value", difference.recorded)
            item.add("b_value", difference.live)
            return item.text
        }
        object.add("differences", raw: JSONDetail.list(items))
    }
}
