import ArgumentParser
import Filters
import Formats

/// The options of `ls` that make a table of its rows.
struct TableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print a table of these columns: fields of the filter language, such as time,status,path,duration.",
            valueName: "names"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "Sort by a column, or with NAME:desc the largest first.", valueName: "name"))
    var sort: String?

    @Option(
        help: ArgumentHelp(
            "Print a line of --stats for each value of these columns, such as path or host,status.",
            valueName: "names"))
    var groupBy: String?

    @Flag(
        help:
            "Print how many rows there are, how many failed, percentiles of their durations and their bytes."
    )
    var stats = false

    @Flag(help: "Print a table for spreadsheets (CSV), with times of the wall clock in UTC.")
    var csv = false

    /// The columns of a table for which none are named.
    private static let usual: [ListColumn] = [
        .time, .kind, .id, .session, .connection, .at, .api, .method, .url, .status, .duration,
        .requestSize, .responseSize, .sender, .command, .bucket, .key, .error, .device, .fault,
    ]

    /// Whether something else than lines in order of time is to be printed.
    var isAsked: Bool { csv || stats || columns != nil || groupBy != nil || sort != nil }

    /// The columns of the table; nil where lines are printed as usual.
    func tableColumns() throws(Failure) -> [ListColumn]? {
        guard let columns else { return csv ? Self.usual : nil }
        guard groupBy == nil, !stats else {
            throw Failure(
                .usage, "--columns goes with rows, and --group-by and --stats with groups")
        }
        return try Self.names(columns)
    }

    /// The columns that make groups; nil where there are none, empty for all rows together.
    func groupColumns() throws(Failure) -> [ListColumn]? {
        guard let groupBy else { return stats ? [] : nil }
        return try Self.names(groupBy)
    }

    /// The name to sort by and whether the largest comes first; nil for the order of time.
    func sortedBy() -> (name: String, isDescending: Bool)? {
        guard let sort else { return nil }
        let parts = sort.split(separator: ":", maxSplits: 1)
        guard let name = parts.first else { return (sort, false) }
        if parts.count == 2, parts[1] == "asc" || parts[1] == "desc" {
            return (String(name), parts[1] == "desc")
        }
        return (sort, false)
    }

    /// The column of this name.
    static func column(_ name: String) throws(Failure) -> ListColumn {
        guard let column = ListColumn(rawValue: name.lowercased()) else {
            throw unknown(name, among: ListColumn.allCases.map(\.rawValue))
        }
        return column
    }

    /// The failure for a name that no column has.
    static func unknown(_ name: String, among names: [String]) -> Failure {
        let nearest = NearestNames.of(name.lowercased(), among: names)
        return Failure(
            .usage,
            "there is no column \"\(name)\""
                + (nearest.isEmpty
                    ? "; the columns are \(names.joined(separator: ", "))"
                    : NearestNames.question(nearest)))
    }

    private static func names(_ list: String) throws(Failure) -> [ListColumn] {
        var columns: [ListColumn] = []
        for name in list.split(separator: ",") {
            columns.append(try column(String(name).trimmingSpaces))
        }
        guard !columns.isEmpty else {
            throw Failure(.usage, "no column is named; write names such as time,status,path")
        }
        return columns
    }
}

extension String {
    /// Without blanks around it.
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
