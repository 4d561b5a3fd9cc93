internal import Notation

/// A dashboard for Grafana over the tables of a fleet, as JSON.
///
/// For Grafana's data source of ClickHouse; its queries name tables without a database, which the
/// source sets. `$__from` and `$__to` are the times that a reader chose, in milliseconds. Source:
/// Grafana, "Dashboard JSON model" and "Global variables".
public enum Dashboard {
    /// A panel.
    struct Panel {
        var title: String
        /// Whether it is drawn over time, by a column `time`; else a table.
        var isOverTime: Bool
        var sql: String
        var unit = "short"
        var width = 12
    }

    /// The rows of the chosen time.
    private static let chosen =
        """
        at_unix_ns >= toInt64($__from) * 1000000 AND at_unix_ns <= toInt64($__to) * 1000000 \
        AND day >= toDate(intDiv($__from, 86400000)) AND day <= toDate(intDiv($__to, 86400000))
        """
    private static let minute = "toDateTime(intDiv(at_unix_ns, 60000000000) * 60) AS time"

    /// The panels, in order.
    static var panels: [Panel] {
        [
            Panel(
                title: "Exchanges by status", isOverTime: true,
                sql: """
                    SELECT \(minute), if(isNull(status), 'none', concat(toString(intDiv(ifNull(status, 0), 100)), 'xx')) \
                    AS class, count() AS exchanges FROM any_exchange \
                    WHERE side <> 'server' AND \(chosen) GROUP BY time, class ORDER BY time, class
                    """),
            Panel(
                title: "Duration of exchanges, 95 of 100 at most", isOverTime: true,
                sql: """
                    SELECT \(minute), host, quantile(0.95)(ended_ns - started_ns) / 1000000000 AS seconds \
                    FROM any_exchange WHERE side <> 'server' AND isNotNull(ended_ns) AND status <> 101 \
                    AND \(chosen) GROUP BY time, host ORDER BY time, host
                    """, unit: "s"),
            Panel(
                title: "Findings", isOverTime: true,
                sql: """
                    SELECT \(minute), severity, count() AS findings FROM finding_statement \
                    WHERE \(chosen) GROUP BY time, severity ORDER BY time, severity
                    """),
            Panel(
                title: "Refused changes", isOverTime: true,
                sql: """
                    SELECT \(minute), toString(ifNull(error, 0)) AS code, count() AS changes FROM any_change \
                    WHERE side <> 'server' AND isNotNull(error) AND \(chosen) \
                    GROUP BY time, code ORDER BY time, code
                    """),
        ]
            + FleetView.allCases.map { view in
                Panel(
                    title: view.summary, isOverTime: false,
                    sql: view.sql(where: chosen, limit: 100, inMilliseconds: true),
                    width: 24)
            } + [
                Panel(
                    title: "Sessions by label", isOverTime: false,
                    sql: """
                        SELECT arrayStringConcat(arrayMap((n, v) -> concat(n, '=', v), label.name, label.value), ', ') \
                        AS labels, uniqExact(recorder) AS recorders, count() AS sessions FROM session \
                        WHERE \(chosen) GROUP BY labels ORDER BY sessions DESC LIMIT 100
                        """, width: 24)
            ]
    }

    /// The dashboard as JSON, for Grafana's import, which asks for the data source.
    public static var json: String {
        let source: JSONValue = object([
            ("type", .string("grafana-clickhouse-datasource")), ("uid", .string("${DS_FLEET}")),
        ])
        var shown: [JSONValue] = []
        var (row, column) = (0, 0)
        for (index, panel) in panels.enumerated() {
            if column + panel.width > 24 { (row, column) = (row + height, 0) }
            shown.append(
                object([
                    ("id", number(index + 1)), ("title", .string(panel.title)),
                    ("type", .string(panel.isOverTime ? "timeseries" : "table")),
                    ("datasource", source),
                    (
                        "gridPos",
                        object([
                            ("x", number(column)), ("y", number(row)), ("w", number(panel.width)),
                            ("h", number(height)),
                        ])
                    ), ("fieldConfig", fields(of: panel)), ("options", object([])),
                    (
                        "targets",
                        .array([
                            object([
                                ("refId", .string("A")), ("datasource", source),
                                ("editorType", .string("sql")),
                                (
                                    "queryType",
                                    .string(panel.isOverTime ? "timeseries" : "table")
                                ), ("format", number(panel.isOverTime ? 0 : 1)),
                                ("rawSql", .string(panel.sql)),
                            ])
                        ])
                    ),
                ]))
            column += panel.width
        }
        return object([
            (
                "__inputs",
                .array([
                    object([
                        ("name", .string("DS_FLEET")), ("label", .string("Fleet in ClickHouse")),
                        ("type", .string("datasource")),
                        ("pluginId", .string("grafana-clickhouse-datasource")),
                    ])
                ])
            ), ("title", .string("Tapedeck fleet")), ("uid", .string("tapedeck-fleet")),
            ("tags", .array([.string("tapedeck")])), ("schemaVersion", number(39)),
            ("editable", .bool(true)), ("refresh", .string("1m")),
            ("time", object([("from", .string("now-24h")), ("to", .string("now"))])),
            ("templating", object([("list", .array([]))])),
            ("annotations", object([("list", .array([]))])), ("panels", .array(shown)),
        ]).text(.python)
    }

    /// Rows of the grid that a panel takes.
    private static let height = 8

    /// The unit of a panel, and times of the wall clock as such.
    private static func fields(of panel: Panel) -> JSONValue {
        let clocks = FleetView.allCases.flatMap(\.columns).filter { $0.kind == .clock }
        let overrides = Set(clocks.map { "v_\($0.name)" }).sorted().map { name in
            object([
                (
                    "matcher",
                    object([("id", .string("byName")), ("options", .string(name))])
                ),
                (
                    "properties",
                    .array([
                        object([("id", .string("unit")), ("value", .string("dateTimeAsIso"))])
                    ])
                ),
            ])
        }
        return object([
            ("defaults", object([("unit", .string(panel.unit))])),
            ("overrides", .array(panel.isOverTime ? [] : overrides)),
        ])
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0, $1) }))
    }

    private static func number(_ value: Int) -> JSONValue { .number(String(value)) }
}
