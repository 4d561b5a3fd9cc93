public import Filters
public import Formats
internal import Trace

/// A view over all recorders of a fleet: who breaks which rule, since when, in which versions.
///
/// Each is one query over the findings that were shipped. A client is known by its device, else by
/// the label `device` of its session, else by its recorder; its version is the label `app`, else its
/// User-Agent.
public enum FleetView: String, Hashable, Sendable, CaseIterable {
    /// Rules that were broken, each with how many clients broke it.
    case rules
    /// Clients with the rules that they broke.
    case clients
    /// Clients that lost edits.
    case losses
    /// Loops of 412, by version.
    case loops

    /// What it shows, in one sentence.
    public var summary: String {
        switch self {
        case .rules:
            "Rules that clients and servers broke, with how many clients, when and in which versions."
        case .clients: "Clients by rule broken, with how often, since when and in which versions."
        case .losses: "Clients that lost edits, with the rule that shows it, how often and when."
        case .loops: "Clients that asked the same in a loop after 412, by version."
        }
    }

    /// A column of a view.
    struct Column: Hashable, Sendable {
        var name: String
        /// The expression over findings.
        var sql: String
        /// What its values are.
        var kind: Kind

        /// What values are.
        enum Kind: Hashable, Sendable {
            case text, number, clock

            /// The value in a cell, of what the server gave.
            func cell(_ field: [UInt8]?) -> ListCell {
                switch self {
                case .text: .text(FleetTableRows.text(field))
                case .number: .number(FleetTableRows.number(field))
                case .clock: .clock(FleetTableRows.number(field))
                }
            }
        }
    }

    /// What makes a line, and what is known of it.
    var columns: [Column] {
        let rule = Column(name: "rule", sql: "rule", kind: .text)
        let severity = Column(name: "severity", sql: "any(severity)", kind: .text)
        let client = Column(name: "client", sql: Self.client, kind: .text)
        let version = Column(name: "version", sql: Self.version, kind: .text)
        let clients = Column(name: "clients", sql: "uniqExact(\(Self.client))", kind: .number)
        let sessions = Column(
            name: "sessions", sql: "uniqExact(recorder, session_id)", kind: .number)
        let findings = Column(name: "findings", sql: "count()", kind: .number)
        let versions = Column(
            name: "versions",
            sql: "arrayStringConcat(arraySort(groupUniqArray(\(Self.version))), ', ')",
            kind: .text)
        let times = [
            Column(name: "first", sql: "min(at_unix_ns)", kind: .clock),
            Column(name: "last", sql: "max(at_unix_ns)", kind: .clock),
        ]
        return switch self {
        case .rules: [rule, severity, clients, sessions, findings] + times + [versions]
        case .clients: [client, rule, severity, sessions, findings] + times + [versions]
        case .losses: [client, rule, version, sessions, findings] + times
        case .loops: [version, clients, sessions, findings] + times
        }
    }

    /// How many of the columns make a line.
    private var keys: [String] {
        switch self {
        case .rules: ["rule"]
        case .clients: ["client", "rule"]
        case .losses: ["client", "rule", "version"]
        case .loops: ["version"]
        }
    }

    /// The rules that show that an edit did not arrive.
    public static let lossRules = [
        "simperium.story.lost-edit", "simperium.change.forgotten", "commcare.submit.forgotten",
        "commcare.submit.attachment-dropped",
    ]

    /// The rule that shows a loop after 412.
    public static let loopRule = "commcare.story.412-loop"

    /// The findings that it is about.
    private var condition: String {
        switch self {
        case .rules, .clients: return "1"
        case .losses:
            let rules = Self.lossRules.map { TabSeparated.literal($0) }
            return "rule IN (\(rules.joined(separator: ", ")))"
        case .loops: return "rule = \(TabSeparated.literal(Self.loopRule))"
        }
    }

    /// The query, of findings for which `more` holds, with at most `limit` lines.
    ///
    /// Times are nanoseconds since 1970, or with `inMilliseconds` what Grafana takes for a time.
    func sql(
        where more: String = "1", limit: Int? = nil, inMilliseconds: Bool = false
    ) -> String {
        let values = columns.map { column in
            inMilliseconds && column.kind == .clock
                ? "intDiv(\(column.sql), 1000000) AS v_\(column.name)"
                : "\(column.sql) AS v_\(column.name)"
        }
        let groups = keys.map { "v_\($0)" }.joined(separator: ", ")
        return """
            SELECT \(values.joined(separator: ", ")) FROM finding_statement \
            WHERE \(condition) AND \(more) GROUP BY \(groups) \
            ORDER BY v_findings DESC, \(groups)\(limit.map { " LIMIT \($0)" } ?? "")
            """
    }

    private static func label(_ name: String) -> String {
        """
        arrayStringConcat(arrayFilter((v, n) -> n = \(TabSeparated.literal(name)), label.value, \
        label.name), ', ')
        """
    }

    private static let client = """
        multiIf(ifNull(device, '') <> '', ifNull(device, ''), \(label("device")) <> '', \
        \(label("device")), substring(recorder, 1, 8))
        """
    private static let version = """
        multiIf(\(label("app")) <> '', \(label("app")), ifNull(user_agent, '') <> '', \
        ifNull(user_agent, ''), '-')
        """

    /// The fields of filters that findings have.
    private static let fields: Set<Field> = [.at, .label, .recorder, .session]

    /// The lines of the view.
    ///
    /// - Parameters:
    ///   - reader: Asks the fleet.
    ///   - filter: Which findings, by the wall clock (`at`), `label.NAME`, `recorder` and `session`;
    ///     nil for all.
    ///   - limit: The maximum number of lines.
    /// - Returns: The table.
    /// - Throws: ``FleetError``, with code `usage` for other fields.
    public func table(
        _ reader: FleetReader, _ filter: Filter? = nil, limit: Int? = nil
    ) throws(FleetError) -> ListTable {
        if let other = filter?.fields.first(where: { !Self.fields.contains($0) }) {
            throw FleetError(
                .usage,
                "findings have no \(other): filter a view by at, such as at>=2026-11-24, label.NAME, recorder or session"
            )
        }
        let condition = FleetQuestion(filter, side: .all, messages: .all).condition(.exchange)
        var table = ListTable(
            names: columns.map { column in
                ListTable.Name(
                    column.name,
                    exported: column.kind == .clock ? "\(column.name)_time" : column.name)
            })
        guard let condition else { return table }
        for row in try reader.rows(sql(where: condition, limit: limit))
        where row.count == columns.count {
            table.add(zip(columns, row).map { $0.kind.cell($1) })
        }
        return table
    }
}
