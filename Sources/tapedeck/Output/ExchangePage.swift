import Dissection
import Formats
import OpenRosa
import Trace
import Wire

/// One exchange as text: heads as sent, bodies formatted, and what they mean.
struct ExchangePage {
    let reader: TraceReader
    let times: PageTimes

    /// The page.
    func text(_ detail: ExchangeDetail) throws(Failure) -> String {
        var lines = ["exchange #\(detail.row.id): \(ListLine.clean(detail.row.url))"]
        lines += summary(detail)
        lines += try side("request", detail, .client, detail.request)
        lines += try side("response", detail, .server, detail.response)
        if detail.row.status == 101 {
            lines += try SocketPage(reader: reader, times: times).lines(detail.row, detail.session)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func summary(_ detail: ExchangeDetail) -> [String] {
        let row = detail.row
        var facts = ["  \(row.api), \(row.outcome.rawValue), connection k\(row.connection)"]
        if row.isLocal { facts[0] += ", answered by tapedeck" }
        var times = "  began \(self.times.phrase(row.startedAt, in: detail.session))"
        if let first = row.respondedAt {
            times +=
                ", first byte after \(TimeSpan.text(first.nanoseconds - row.startedAt.nanoseconds))"
        }
        if let last = row.endedAt {
            times +=
                ", last byte after \(TimeSpan.text(last.nanoseconds - row.startedAt.nanoseconds))"
        }
        facts.append(times)
        facts += FateText.lines(row.side, row.fate, row.counterpart.map { "#\($0)" })
        if let device = row.device { facts.append("  device \(ListLine.clean(device))") }
        if let problem = row.problem { facts.append("  ! \(ListLine.clean(problem))") }
        if let status = row.status, let api = OpenRosaAPI(rawValue: row.api) {
            let nature = detail.documents.last { $0.sender == .server }?.nature
            if let advice = CodeTable.advice(status: status, api: api, nature: nature) {
                facts.append("  \(status) means: \(advice.means)")
                facts.append("  the client must: \(advice.next)")
            }
        }
        facts += detail.notes.map(Self.line)
        facts += detail.messageNotes.map { notes in
            Self.line(notes.first) + (notes.count > 1 ? " (\(notes.count) times)" : "")
        }
        return facts + FaultText.lines(detail.faults)
            + FindingText.lines(detail.findings)
            + FindingText.lines(detail.undecided)
    }

    private static func line(_ note: NoteRow) -> String {
        "  note \(note.code) (\(note.sender)): \(ListLine.clean(note.detail))"
    }

    private func side(
        _ name: String, _ detail: ExchangeDetail, _ sender: Peer, _ body: BodyRow?
    ) throws(Failure) -> [String] {
        let sent = try RawBytes(reader: reader, side: nil).head(detail, of: sender)
        guard let body else {
            return ["", "── no \(name)" + (sent.isEmpty ? "" : " yet")]
        }
        var lines = ["", "── \(name)"]
        let head = Self.lines(sent.isEmpty ? body.head : sent)
        lines += head
        let got = Self.lines(body.head)
        for line in got where !head.contains(line) { lines.append("  forwarded as: \(line)") }
        for line in head where !got.contains(line) && !sent.isEmpty {
            lines.append("  not forwarded: \(line)")
        }
        lines += size(body)
        let parts = detail.parts.filter { $0.sender == sender }
        if parts.isEmpty {
            let content = BodyText.text(body.content, isText: body.isText)
            if !content.isEmpty { lines += ["", content] }
        }
        for part in parts { lines += Self.part(part, of: body) }
        if body.size > Int64(body.content.count) {
            lines.append(
                "… \(ByteCount.text(body.size - Int64(body.content.count))) more are not kept decoded; --raw writes all bytes"
            )
        }
        if !body.trailers.isEmpty { lines += ["", "trailers:"] + Self.lines(body.trailers) }
        for document in detail.documents where document.sender == sender {
            lines.append(Self.document(document))
            lines += DocumentContent(document, in: body, parts: parts)?.lines ?? []
        }
        return lines
    }

    /// The lines of a head without the empty one at its end.
    private static func lines(_ head: [UInt8]) -> [String] {
        String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { ListLine.clean(String($0)) }
    }

    private func size(_ body: BodyRow) -> [String] {
        guard body.wireSize > 0 || body.problem != nil else { return [] }
        var line = "  content \(ByteCount.text(body.wireSize))"
        if !body.coding.isEmpty {
            line += " as \(ListLine.clean(body.coding)), \(ByteCount.text(body.size)) decoded"
        }
        return [line] + (body.problem.map { ["  ! \(ListLine.clean($0))"] } ?? [])
    }

    /// One part of a multipart body, with as much of its content as is kept.
    private static func part(_ part: PartRow, of body: BodyRow) -> [String] {
        var line = "── part \(part.position): \(ListLine.clean(part.name ?? "without name"))"
        if let filename = part.filename { line += " (file \(ListLine.clean(filename)))" }
        if let type = part.contentType { line += " \(ListLine.clean(type))" }
        line += ", \(ByteCount.text(part.size))"
        let start = Int(clamping: part.offset)
        let end = min(body.content.count, Int(clamping: part.offset + part.size))
        guard start < end else { return ["", line] }
        let content = Array(body.content[start..<end])
        return [
            "", line,
            BodyText.text(content, isText: String(validating: content, as: UTF8.self) != nil),
        ]
    }

    private static func document(_ row: OpenRosaRow) -> String {
        var facts: [String] = []
        if let nature = row.nature { facts.append("nature \(nature)") }
        if let key = row.key { facts.append("key \(key)") }
        if let detail = row.detail { facts.append("message \(detail.debugDescription)") }
        if let done = row.done { facts.append("progress \(done)/\(row.total ?? "?")") }
        if let id = row.restoreID { facts.append("restore id \(id)") }
        if let id = row.instanceID { facts.append("instance \(id)") }
        if row.kind == "form", let namespace = row.namespace { facts.append(namespace) }
        let counts = [(row.cases, "case"), (row.fixtures, "fixture"), (row.ledgers, "ledger")]
        for (count, noun) in counts where count > 0 {
            facts.append(Summary.count(Int64(count), noun))
        }
        if let items = row.items { facts.append("items \(items)") }
        if let problem = row.problem { facts.append("! \(problem)") }
        return "  \(row.kind): \(ListLine.clean(facts.joined(separator: ", ")))"
    }
}
