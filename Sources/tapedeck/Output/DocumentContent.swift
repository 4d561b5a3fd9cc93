import Dissection
import Notation
import OpenRosa
import Wire

/// The cases of a restore or a filled form: counts of a restore, the blocks of a form.
struct DocumentContent {
    /// The maximum number of case blocks of a form that are listed.
    private static let maxBlocks = 20
    /// The maximum number of case types and fixtures that are named.
    private static let maxNames = 12

    private let kind: String
    private var summary = RestoreSummary()
    private var blocks: [CaseBlock] = []
    private var blockCount = 0
    /// Bytes that were read, where more were sent than are kept decoded.
    private let keptBytes: Int64?

    /// Reads the document of `row` in its body again; nil where it is neither restore nor form.
    init?(_ row: OpenRosaRow, in body: BodyRow, parts: [PartRow]) {
        guard row.kind == "restore" || row.kind == "form" else { return nil }
        kind = row.kind
        keptBytes = body.size > Int64(body.content.count) ? Int64(body.content.count) : nil
        var content = body.content[...]
        if let position = row.part {
            guard let part = parts.first(where: { $0.position == position }) else { return nil }
            let start = min(content.count, Int(clamping: part.offset))
            let end = min(content.count, Int(clamping: part.offset + part.size))
            guard start < end else { return nil }
            content = content[start..<end]
        }
        let isForm = kind == "form"
        var (summary, blocks, count) = (summary, blocks, 0)
        let reader = CommCareReader(purpose: isForm ? .submission : .any) { event in
            summary.count(event)
            guard isForm, case .caseBlock(let block) = event else { return }
            count += 1
            if blocks.count < Self.maxBlocks { blocks.append(block) }
        }
        // The part before an error, or before the end of what is kept, counts.
        try? reader.feed(content.span)
        try? reader.finish()
        (self.summary, self.blocks, blockCount) = (summary, blocks, count)
    }

    /// The same as text, a line each.
    var lines: [String] {
        kind == "form" ? blocks.map { "    " + ListLine.clean(Self.detail($0)) } + more : counts
    }

    private var more: [String] {
        blockCount > blocks.count
            ? ["    … \(Summary.count(Int64(blockCount - blocks.count), "more case"))"] : []
    }

    private var counts: [String] {
        var lines: [String] = []
        if summary.cases > 0 {
            var types = Self.sorted(summary.casesByType.map { ($0.key.string, $0.value) })
            if summary.casesWithoutType > 0 {
                types.append("without type \(summary.casesWithoutType)")
            }
            lines.append(line(.cases, Summary.count(Int64(summary.cases), "case"), types))
            if summary.closes > 0 { lines.append("      \(summary.closes) of them closed") }
        }
        if !summary.fixtures.isEmpty {
            let count = summary.fixtures.values.reduce(0) { $0 + $1.count }
            let names = Self.sorted(summary.fixtures.map { ($0.key.string, Int($0.value.bytes)) })
            lines.append(
                line(.fixtures, Summary.count(Int64(count), "fixture"), names.map { "\($0) B" }))
        }
        if let ledgers = summary.sections[.ledgers] {
            lines.append(
                line(
                    .ledgers, Summary.count(Int64(ledgers.count), "ledger"),
                    [Summary.count(Int64(summary.ledgerEntries), "entry")]))
        }
        if let user = summary.username { lines.append("    for \(ListLine.clean(user))") }
        if let keptBytes {
            lines.append(
                "    counted in the first \(ByteCount.text(keptBytes)), which are kept decoded")
        }
        return lines
    }

    private func line(
        _ section: RestoreSummary.Section, _ count: String, _ names: [String]
    ) -> String {
        let size = ByteCount.text(summary.sections[section]?.bytes ?? 0)
        let rest = names.count > Self.maxNames ? ", …" : ""
        let list = names.prefix(Self.maxNames).joined(separator: ", ") + rest
        return "    \(count), \(size): \(ListLine.clean(list))"
    }

    /// Names with their numbers, the largest first.
    private static func sorted(_ names: [(String, Int)]) -> [String] {
        names.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map { "\($0.0) \($0.1)" }
    }

    /// The effects of a block, as a sentence of clauses.
    private static func detail(_ block: CaseBlock) -> String {
        var clauses: [String] = []
        if let create = block.create {
            clauses.append(
                "creates \(create.caseType ?? "a case") \((create.caseName ?? "").debugDescription)"
            )
        }
        if let update = block.update {
            let texts = update.prefix(8).map { "\($0.name)=\($0.value.debugDescription)" }
            let rest = update.count > 8 ? ", …" : ""
            clauses.append("sets \(texts.joined(separator: ", "))\(rest)")
        }
        for index in block.indices {
            clauses.append(
                index.target.isEmpty
                    ? "removes index \(index.name)"
                    : "is \(index.relationship ?? "child") of \(index.target) (\(index.name))")
        }
        for attachment in block.attachments {
            clauses.append(
                attachment.isRemoval
                    ? "removes attachment \(attachment.name)" : "attaches \(attachment.name)")
        }
        if block.isClosed { clauses.append("closes") }
        let what = clauses.isEmpty ? "nothing" : clauses.joined(separator: "; ")
        return "case \(block.caseID ?? "without id"): \(what)"
    }
}

extension DocumentContent {
    /// The counts of a restore as JSON; nil for a form.
    var json: String? {
        guard kind == "restore" else { return nil }
        func map(_ values: [(String, JSONValue)]) -> JSONValue {
            let sorted = values.sorted { $0.0 < $1.0 }
            return .object(
                JSONObject(sorted.map { JSONObject.Member($0.0, $0.1) }))
        }
        func number(_ value: Int) -> JSONValue { .number(String(value)) }
        return map([
            ("cases", number(summary.cases)), ("closes", number(summary.closes)),
            ("cases_without_type", number(summary.casesWithoutType)),
            (
                "cases_by_type",
                map(summary.casesByType.map { ($0.key.string, number($0.value)) })
            ),
            ("fixtures", map(summary.fixtures.map { ($0.key.string, number($0.value.count)) })),
            ("ledger_entries", number(summary.ledgerEntries)),
            (
                "bytes",
                map(summary.sections.map { ($0.key.rawValue, .number(String($0.value.bytes))) })
            ),
        ]).text()
    }
}
