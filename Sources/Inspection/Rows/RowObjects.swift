internal import Dissection
internal import Formats
package import Notation
public import Trace
internal import Wire

/// The rows of a listing as JSON objects, for pages.
public struct RowObjects: Sendable {
    /// Bytes of a payload in a listing.
    private static let excerpt = 400

    private var clock = TraceClock([])
    private var faulted = FaultedRows()
    private var gaps: [ConnectionID: [GapRow]] = [:]
    private var lastGap: Int64 = 0
    private var findings: [String: [FoundMark]] = [:]

    /// A finding that a row shows.
    public struct FoundMark: Hashable, Sendable {
        /// The finding as `show` names it.
        public var name: String
        /// How bad it is, and the rule.
        public var text: String

        /// A mark with these values.
        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Objects of a trace of which nothing is known yet.
    public init() {}

    /// Learns which rows rules touched, and when sessions began.
    ///
    /// - Parameter reader: Reads the trace.
    /// - Throws: ``TraceError`` with code `storage`.
    public mutating func learn(from reader: TraceReader) throws(TraceError) {
        clock = TraceClock(try reader.sessions())
        try reader.extend(&faulted)
        for gap in try reader.gaps(after: lastGap) {
            lastGap = gap.id
            if let connection = gap.row.connection {
                gaps[connection, default: []].append(gap.row)
            }
        }
    }

    /// Learns what the rows of these names show.
    public mutating func learn(findings: [String: [FoundMark]]) { self.findings = findings }

    /// The object of a line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - text: The text of a command, of which the payload is a part.
    /// - Returns: The object, with the names of the trace's columns where it has them.
    package func object(_ line: TraceLine, text: [UInt8]) -> JSONObjectText {
        var object = JSONObjectText()
        switch line {
        case .exchange(let session, let row): add(row, session, to: &object)
        case .command(let session, let row): add(row, text, session, to: &object)
        case .message(let session, let row): add(row, session, to: &object)
        }
        return object
    }

    private func head(
        _ object: inout JSONObjectText, _ name: String, _ kind: String, _ session: SessionID,
        _ connection: ConnectionID, _ at: Instant, _ end: Instant?
    ) {
        object.add("name", name)
        object.add("kind", kind)
        object.add("session_id", session.rawValue)
        object.add("connection_id", connection.rawValue)
        object.add("at_ns", clock.nanoseconds(at, in: session))
        object.add("ended_ns", end.map { clock.nanoseconds($0, in: session) })
    }

    private func add(
        _ row: ExchangeRow, _ session: SessionID, to object: inout JSONObjectText
    ) {
        let name = "\(row.id)"
        head(&object, name, "exchange", session, row.connection, row.startedAt, row.endedAt)
        object.add("is_open", isTrue: row.outcome == .open)
        object.add("responded_ns", row.respondedAt.map { clock.nanoseconds($0, in: session) })
        object.add("method", row.method)
        object.add("url", row.url)
        object.add("host", row.host)
        object.add("path", row.path)
        object.add("api", row.api)
        object.add("status", row.status.map(Int64.init))
        object.add("request_size", row.requestSize)
        object.add("response_size", row.responseSize)
        object.add("device", row.device)
        object.add("is_local", isTrue: row.isLocal)
        object.add("problem", row.problem)
        marks(
            &object, name, faulted.rules(of: row.id),
            gaps(row.connection, row.startedAt, row.endedAt), row.side, row.fate)
    }

    private func add(
        _ row: CommandRow, _ text: [UInt8], _ session: SessionID, to object: inout JSONObjectText
    ) {
        let name = "c\(row.id)"
        head(&object, name, "command", session, row.connection, row.at, nil)
        object.add("sender", row.sender.description)
        object.add("command", row.name)
        object.add("bucket", row.bucket)
        object.add("key", row.key)
        object.add("channel", row.channel.map(Int64.init))
        let start = max(0, row.payloadOffset)
        let end = min(text.count, start &+ max(0, row.payloadSize))
        object.add("payload", start < end ? Self.excerpt(text[start..<end]) : nil)
        object.add("error", row.error.map(Int64.init))
        object.add("problem", row.problem)
        marks(
            &object, name, faulted.rules(of: row.message), gaps(row.connection, row.at, row.at),
            row.side, row.fate)
    }

    private func add(
        _ row: MessageRow, _ session: SessionID, to object: inout JSONObjectText
    ) {
        let name = "m\(row.id)"
        head(&object, name, "message", session, row.connection, row.at, row.endedAt)
        object.add("sender", row.sender.description)
        object.add("opcode", Int64(row.opcode))
        object.add(
            "payload",
            row.isText
                ? Self.excerpt(row.payload[...]) : Hexadecimal.text(Array(row.payload.prefix(50))))
        object.add("size", row.size)
        object.add("problem", row.problem)
        marks(
            &object, name, faulted.rules(of: row.id), gaps(row.connection, row.at, row.endedAt),
            row.side, row.fate)
    }

    private func marks(
        _ object: inout JSONObjectText, _ name: String, _ rules: TouchingRules, _ gaps: [String],
        _ side: Side, _ fate: Fate
    ) {
        let found = findings[name] ?? []
        let marks =
            rules.faults.map { "fault \($0)" } + rules.edits.map { "edit \($0)" }
            + gaps.map { "gap \($0)" } + found.map(\.text)
        object.add("side", side.rawValue)
        object.add("fate", fate.rawValue)
        object.add("marks", texts: marks)
        object.add("findings", texts: found.map(\.name))
    }

    /// Why bytes of a connection are missing from a stretch of it; what is running has no end.
    private func gaps(
        _ connection: ConnectionID, _ start: Instant, _ end: Instant?
    ) -> [String] {
        guard let gaps = gaps[connection] else { return [] }
        let reasons = gaps.filter { gap in
            gap.until >= start && end.map { gap.at <= $0 } ?? true
        }.map(\.reason.rawValue)
        return Set(reasons).sorted()
    }

    /// The beginning of a text, as far as it is whole.
    private static func excerpt(_ bytes: ArraySlice<UInt8>) -> String {
        var part = bytes.prefix(excerpt)
        if part.count < bytes.count {
            while let last = part.last, last & 0xC0 == 0x80 { part = part.dropLast() }
            if let last = part.last, last >= 0xC0 { part = part.dropLast() }
        }
        return String(decoding: part, as: UTF8.self) + (part.count < bytes.count ? "…" : "")
    }
}

extension JSONObjectText {
    mutating func add(_ name: String, isTrue: Bool) { add(name, raw: isTrue ? "true" : "false") }

    mutating func add(_ name: String, texts: [String]) {
        add(name, raw: "[\(texts.map(JSONString.quoted).joined(separator: ","))]")
    }
}
