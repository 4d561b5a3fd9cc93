internal import Filters
public import Formats

/// Counts, errors, durations and bytes of the rows of a fleet, which the server computes.
public struct FleetStatistics {
    private let reader: FleetReader
    private let question: FleetQuestion

    /// Statistics of the rows that `question` is about.
    public init(_ reader: FleetReader, _ question: FleetQuestion) {
        self.reader = reader
        self.question = question
    }

    /// A line for each group of rows, as ``RowStatistics`` has them.
    ///
    /// - Parameter columns: The columns whose values make the groups; none for all rows together.
    /// - Returns: The table; nil where a column is not one that the server groups by.
    /// - Throws: ``FleetError``.
    public func table(by columns: [ListColumn]) throws(FleetError) -> ListTable? {
        var parts: [String] = []
        for subject in FilterSubject.allCases {
            guard let condition = question.condition(subject) else { continue }
            var values: [String] = []
            for (index, column) in columns.enumerated() {
                guard let value = column.fleetExpression(for: subject) else { return nil }
                values.append(
                    "CAST(\(value), 'Nullable(\(column.isFleetText ? "String" : "Int64"))') AS g\(index)"
                )
            }
            parts.append(
                """
                SELECT \(values.map { $0 + ", " }.joined())\(subject.measures) \
                FROM \(subject.fleetTable) WHERE \(condition)
                """)
        }
        guard !parts.isEmpty else { return ListTable(columns, groups: []) }
        let groups = columns.indices.map { "g\($0)" }
        let rows = try reader.rows(
            """
            SELECT \(groups.map { $0 + ", " }.joined())count(), sum(is_error), \
            \(Self.percentiles), max(span), sum(weight) \
            FROM (\(parts.joined(separator: " UNION ALL "))) \
            \(groups.isEmpty ? "" : "GROUP BY " + groups.joined(separator: ", "))
            """)
        var lines: [[ListCell]] = []
        for row in rows where row.count == columns.count + 7 {
            let count = FleetTableRows.number(row[columns.count])
            // Without groups there is a row also where nothing was counted.
            guard count > 0 else { continue }
            let key = zip(columns, row).map { $0.cell($1) }
            func span(_ place: Int) -> ListCell {
                row[columns.count + place].map { .nanoseconds(FleetTableRows.number($0)) } ?? .none
            }
            lines.append(
                key + [
                    .number(count), .number(FleetTableRows.number(row[columns.count + 1])), span(2),
                    span(3), span(4), span(5),
                    .bytes(FleetTableRows.number(row[columns.count + 6])),
                ])
        }
        return ListTable(columns, groups: lines)
    }

    /// Percentiles by the nearest rank: the server takes the value at level * count, rounded down and
    /// counted from 0, which is one too far where that is a whole number.
    private static let percentiles = ["0.4999999999", "0.8999999999", "0.9899999999"]
        .map { "quantileExact(\($0))(span)" }.joined(separator: ", ")
}

extension FilterSubject {
    /// What statistics need of a row: whether it failed, how long it took, and its bytes.
    fileprivate var measures: String {
        switch self {
        case .exchange:
            """
            CAST(if(isNull(status), outcome <> 'open', ifNull(status, 0) >= 400), 'Int64') AS is_error, \
            CAST(ended_ns - started_ns, 'Nullable(Int64)') AS span, \
            request_size + response_size AS weight
            """
        case .command:
            """
            CAST(isNotNull(error), 'Int64') AS is_error, CAST(NULL, 'Nullable(Int64)') AS span, \
            payload_size AS weight
            """
        case .message:
            """
            CAST(isNotNull(problem), 'Int64') AS is_error, \
            CAST(ended_ns - at_ns, 'Nullable(Int64)') AS span, size AS weight
            """
        }
    }
}

extension ListColumn {
    /// Whether its values are texts on the server.
    var isFleetText: Bool {
        switch self {
        case .id, .session, .connection, .at, .time, .size, .duration, .port, .status, .local,
            .requestSize, .responseSize, .channel, .error, .opcode, .closeCode:
            false
        case .kind, .fault, .fate, .problem, .recorder, .api, .method, .scheme, .host, .path,
            .query,
            .url, .version, .reason, .outcome, .device, .user, .retryAfter, .sender, .command,
            .bucket, .app, .key, .cv:
            true
        }
    }

    /// The value in a cell, of what the server gave.
    func cell(_ field: [UInt8]?) -> ListCell {
        guard let field else { return .none }
        switch self {
        case .at, .duration: return .nanoseconds(FleetTableRows.number(field))
        case .time: return .clock(FleetTableRows.number(field))
        case .size, .requestSize, .responseSize: return .bytes(FleetTableRows.number(field))
        default:
            return isFleetText
                ? .text(FleetTableRows.text(field)) : .number(FleetTableRows.number(field))
        }
    }

    /// The expression over rows of `subject`; nil where the value is not in the row.
    func fleetExpression(for subject: FilterSubject) -> String? {
        switch self {
        case .kind: return TabSeparated.literal(subject.rawValue)
        case .id, .fate, .problem, .recorder: return rawValue
        case .session: return "session_id"
        case .connection: return "connection_id"
        case .at: return subject.clockColumn
        case .time: return "at_unix_ns"
        case .fault: return nil
        case .size:
            return switch subject {
            case .exchange: "request_size + response_size"
            case .command: "payload_size"
            case .message: "size"
            }
        case .duration:
            return switch subject {
            case .exchange: "ended_ns - started_ns"
            case .command: "NULL"
            case .message: "ended_ns - at_ns"
            }
        default: break
        }
        return switch subject {
        case .exchange: exchangeExpression
        case .command: commandExpression
        case .message: messageExpression
        }
    }

    private var exchangeExpression: String {
        switch self {
        case .api, .method, .scheme, .host, .port, .path, .query, .version, .status, .reason,
            .outcome,
            .device, .user:
            rawValue
        case .url: Field.fleetURL
        case .local: "is_local"
        case .requestSize: "request_size"
        case .responseSize: "response_size"
        case .retryAfter: "retry_after"
        default: "NULL"
        }
    }

    private var commandExpression: String {
        switch self {
        case .channel, .bucket, .app, .key, .cv, .error: rawValue
        case .command: "name"
        case .sender: Field.fleetSender
        default: "NULL"
        }
    }

    private var messageExpression: String {
        switch self {
        case .opcode: rawValue
        case .closeCode: "close_code"
        case .sender: Field.fleetSender
        default: "NULL"
        }
    }
}
